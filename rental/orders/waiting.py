"""The waiting list: join, leave, and the offers that follow the order of joining when lots come free."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.catalogue import prices, stock
from rental.letters import waiting as letters
from rental.models import Card, Preparation, User, Waiting
from rental.orders import quoting

Outcome = Waiting.Outcome


def join(customer: User, card: Card, *, lots: int, days: int, preparation: str = Preparation.UBUNTU) -> Waiting:
    """Take the last place in the card's line. Who stands in it already keeps the place and changes the wish.

    Raises:
        Refusal: `wrong_lots`, `wrong_term`, `unknown_preparation` (422); `lots_free` when nobody need wait (409).
    """
    if lots not in prices.LOTS:
        raise Refusal("wrong_lots", _("Enter a number of lots from 1 to 10."), status=422, field="lots")
    if days not in prices.DAYS:
        raise Refusal("wrong_term", _("Choose a term of 3, 7 or 30 days."), status=422, field="days")
    if preparation not in Preparation.values or preparation == Preparation.CUSTOM:
        preparation = Preparation.UBUNTU
    with transaction.atomic():
        card = stock.lock(card)
        now = timezone.now()
        others = Waiting.objects.in_line().filter(card=card).exclude(customer=customer)
        if stock.free_lots(card, now) >= lots and not others.exists():
            raise Refusal("lots_free", _("So many lots are free now: order them, nobody need wait."))
        known = Waiting.objects.open().filter(customer=customer, card=card).first()
        if known is not None:
            Waiting.objects.filter(pk=known.pk, quote=None).update(lots=lots, days=days, preparation=preparation)
            known.refresh_from_db()
            return known
        try:
            with transaction.atomic():
                return Waiting.objects.create(
                    customer=customer, card=card, lots=lots, days=days, preparation=preparation, joined_at=now
                )
        except IntegrityError:
            return Waiting.objects.open().get(customer=customer, card=card)


def leave(customer: User, card: Card) -> bool:
    """Give up the place, and with it an offer that is still held."""
    with transaction.atomic():
        stock.lock(card)
        row = Waiting.objects.open().filter(customer=customer, card=card).select_related("quote").first()
        if row is None:
            return False
        if row.quote is not None:
            quoting.release(customer, row.quote.pk, timezone.now())
        _close(row, Outcome.LEFT, timezone.now())
        return True


def before(row: Waiting) -> int:
    """How many people stand before this one and have no offer yet."""
    return Waiting.objects.in_line().filter(card=row.card_id, pk__lt=row.pk).count()


def offer_due(now: datetime) -> int:
    """Offer free lots to those who wait, in the order of joining; how many offers were made now.

    Who wants more lots than are free keeps the place and is passed over until there are enough.
    """
    cards = Card.objects.filter(pk__in=Waiting.objects.open().values("card"))
    return sum(_offer(card, now) for card in cards)


def _offer(card: Card, now: datetime) -> int:
    made = 0
    with transaction.atomic():
        card = stock.lock(card)
        for row in Waiting.objects.open().filter(card=card).exclude(quote=None).select_related("quote"):
            if row.quote is not None and not row.quote.is_open(now):
                _close(row, Outcome.TAKEN if hasattr(row.quote, "order") else Outcome.MISSED, now)
        if not card.on_sale:
            return 0
        for row in Waiting.objects.in_line().filter(card=card).select_related("customer", "card"):
            if stock.free_lots(card, now) < row.lots:
                continue
            try:
                with transaction.atomic():
                    made += _offer_to(row)
            except Refusal:
                continue  # no price for the term, or too many quotes held: the place stays
    return made


def _offer_to(row: Waiting) -> int:
    hold = timedelta(hours=settings.WAITING_HOURS)
    quote = quoting.quote(
        row.customer, card=row.card.slug, days=row.days, lots=row.lots, preparation=row.preparation, hold=hold
    )
    Waiting.objects.filter(pk=row.pk, quote=None).update(quote=quote)
    letters.offered(row, quote)
    return 1


def _close(row: Waiting, outcome: str, now: datetime) -> None:
    Waiting.objects.filter(pk=row.pk, outcome="").update(outcome=outcome, closed_at=now)
