"""Quotes: choices checked, figures computed here and nowhere else, lots held until a time shown."""

import re
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from common.codes import ALPHABET
from common.refusals import Refusal
from rental.catalogue import prices, stock
from rental.models import Card, Order, Preparation, Price, Quote, User, Waiting
from rental.orders.moves import lock, wrong_state

NOTE_LENGTH = 2000
REFERENCE = re.compile(rf"[{ALPHABET}]{{26}}")


def quote(
    customer: User | None,
    *,
    card: str,
    days: int,
    lots: int,
    preparation: str,
    note: str = "",
    replaces: str | None = None,
    changes: Order | None = None,
    hold: timedelta | None = None,
) -> Quote:
    """Hold `lots` of `card` at today's price for `settings.QUOTE_MINUTES`.

    Args:
        customer: None while nobody is signed in; the quote then belongs to whoever holds its id.
        replaces: an earlier quote of the same person that is given back first, so that
            changing one's mind takes no more than one choice's stock.
        changes: an unpaid order of the customer's whose place the new one takes; its own lots count as free.

        hold: how long, for an offer of the waiting list; it passes those who wait.

    Raises:
        Refusal: `unknown_card`, `wrong_term`, `wrong_lots`, `unknown_preparation`, `note_missing`,
            `note_too_long` (422, at their field); `no_price`, `no_stock`, `too_many_quotes`, `wrong_state`
            (an order that can no longer be changed) (409).
    """
    chosen = _card(card)
    _check(days, lots, preparation, note)
    with transaction.atomic():
        if changes is not None:
            changes = _unpaid(changes)
        chosen = stock.lock(chosen)
        now = timezone.now()
        free, own = stock.free_lots(chosen, now), own_lots(changes, chosen)
        if replaces:
            release(customer, replaces, now)
            own += stock.free_lots(chosen, now) - free
        price = _price(chosen, days, now)
        _check_stock(lots, free + own)
        if hold is None:
            _check_line(customer, chosen, lots, free, own)
        _check_open_quotes(customer, now)
        return Quote.objects.create(
            customer=customer,
            card=chosen,
            price=price,
            days=days,
            lots=lots,
            cards=prices.cards_of(lots, chosen.cards_per_lot),
            preparation=preparation,
            preparation_note=note.strip(),
            unit_price_cents=price.cents,
            total_cents=prices.total_cents(price.cents, lots),
            changes=changes,
            created_at=now,
            expires_at=now + (hold or timedelta(minutes=settings.QUOTE_MINUTES)),
        )


def release(customer: User | None, quote_id: str, now: datetime) -> None:
    """Give a quote's lots back. Somebody else's quote, or an order's, is left alone without a word."""
    mine = Quote.objects.holding(now).filter(pk=quote_id) if is_id(quote_id) else Quote.objects.none()
    (mine.filter(customer=None) | mine.filter(customer=customer)).update(released_at=now)


def is_id(text: str) -> bool:
    """Whether `text` can be a quote's id: only that reaches the database, which would fail on a NUL."""
    return REFERENCE.fullmatch(text) is not None


def claim(customer: User, quote_id: str) -> Quote:
    """The customer's quote; one made before signing in becomes theirs, once.

    Raises:
        Refusal: `quote_not_found` (404), also for a quote of another customer.
    """
    rows = Quote.objects.filter(pk=quote_id) if is_id(quote_id) else Quote.objects.none()
    rows.filter(customer=None).update(customer=customer)
    found = rows.filter(customer=customer).select_related("card", "price", "changes").first()
    if found is None:
        raise Refusal("quote_not_found", _("There is no such quote. Choose a card again."), status=404, field="quote")
    return found


def _card(slug: Any) -> Card:
    found = Card.objects.on_sale().filter(slug=slug).first() if isinstance(slug, str) and "\0" not in slug else None
    if found is None:
        raise Refusal("unknown_card", _("Choose a card from the list."), status=422, field="card")
    return found


def _check(days: Any, lots: Any, preparation: Any, note: Any) -> None:
    """Types too: True is not 1 and "7" is not 7; a form's text becomes a number before it comes here."""
    if type(days) is not int or days not in prices.DAYS:
        raise Refusal("wrong_term", _("Choose a term of 3, 7 or 30 days."), status=422, field="days")
    if type(lots) is not int or lots not in prices.LOTS:
        raise Refusal("wrong_lots", _("Enter a number of lots from 1 to 10."), status=422, field="lots")
    if preparation not in Preparation.values:
        raise Refusal("unknown_preparation", _("Choose a preparation from the list."), status=422, field="preparation")
    if not isinstance(note, str) or (preparation == Preparation.CUSTOM and not note.strip()):
        sentence = _("Say what you would like to find on the machine.")
        raise Refusal("note_missing", sentence, status=422, field="preparation_note")
    if "\0" in note:
        sentence = _("Remove the control characters from the description.")
        raise Refusal("note_unusable", sentence, status=422, field="preparation_note")
    if len(note) > NOTE_LENGTH:
        sentence = _("Shorten the description to 2,000 characters.")
        raise Refusal("note_too_long", sentence, status=422, field="preparation_note")


def _price(card: Card, days: int, now: datetime) -> Price:
    price = card.price_at(days, now)
    if price is None:
        raise Refusal("no_price", _("This card has no price for this term. Choose another term."), field="days")
    return price


def own_lots(order: Order | None, card: Card) -> int:
    """Lots of this card that the order to be changed gives back."""
    return order.lots if order is not None and order.card_id == card.pk else 0


def _unpaid(order: Order) -> Order:
    order = lock(order)
    if order.state != Order.State.PLACED:
        raise wrong_state(order)
    return order


def _check_stock(lots: int, free: int) -> None:
    free = max(free, 0)
    if free >= lots:
        return
    sentence = (
        ngettext_lazy(
            "Only %(free)d lot of this card is free. Choose fewer lots or another card.",
            "Only %(free)d lots of this card are free. Choose fewer lots or another card.",
            free,
        )
        % {"free": free}
        if free
        else _("No lot of this card is free now. Choose another card, or come back later.")
    )
    raise Refusal("no_stock", sentence, field="lots", data={"lots_free": free, "lots_wanted": lots})


def _check_line(customer: User | None, card: Card, lots: int, free: int, own: int) -> None:
    """Lots that people wait for are theirs first: the next sweep offers them, in the order walked here.

    What the customer holds already (`own`) and what the line leaves over is nobody else's.
    """
    for row in Waiting.objects.in_line().filter(card=card, lots__lte=max(free, 0)):
        if row.lots <= free:
            free -= row.lots
            own += row.lots if customer is not None and row.customer_id == customer.pk else 0
    if lots <= max(free, 0) + own:
        return
    sentence = _("People wait for this card, and its free lots are offered to them first. Join the waiting list.")
    raise Refusal("no_stock", sentence, field="lots", data={"lots_free": max(free, 0) + own, "lots_wanted": lots})


def _check_open_quotes(customer: User | None, now: datetime) -> None:
    if customer is None:
        return
    if Quote.objects.holding(now).filter(customer=customer).count() >= settings.OPEN_QUOTES:
        sentence = _("You hold as many quotes as one account may. Place one as an order, or wait until one ends.")
        raise Refusal("too_many_quotes", sentence)
