"""Stock: how many lots of a card are free, and the lock that lets nobody sell the last one twice."""

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Case, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from rental.models import Card, Order, Quote

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


# What a quote holds by itself. One that changes an unpaid order needs only what that order does not hold already,
# and nothing once the order can no longer be changed.
_OWN_HOLD = Case(
    When(changes=None, then=F("lots")),
    When(~Q(changes__state=Order.State.PLACED), then=Value(0)),
    When(~Q(changes__card=F("card")), then=F("lots")),
    When(lots__gt=F("changes__lots"), then=F("lots") - F("changes__lots")),
    default=Value(0),
    output_field=IntegerField(),
)


class Free(TypedDict):
    """What these querysets add to a card."""

    lots_free: int


def cards_on_sale(now: datetime) -> "QuerySet[WithAnnotations[Card, Free]]":
    """The cards on sale, each with `lots_free`: stock less live orders less quotes that hold lots at `now`."""
    return _with_free_lots(Card.objects.on_sale(), now)


def cards(now: datetime) -> "QuerySet[WithAnnotations[Card, Free]]":
    """All cards, on sale or not, each with `lots_free`."""
    return _with_free_lots(Card.objects.all(), now)


def free_lots(card: Card, now: datetime) -> int:
    """Lots free at `now`; below zero when the operator lowered the stock under what is rented."""
    return _with_free_lots(Card.objects.filter(pk=card.pk), now).get().lots_free


def own_lots(quote_id: str, order: Order | None, now: datetime) -> dict[int, int]:
    """Lots, by card, that a visitor's open quote and the unpaid order they are about to change give back."""
    own: dict[int, int] = {}
    if quote_id:
        for card, lots in (
            Quote.objects.holding(now).filter(pk=quote_id).values_list("card_id").annotate(n=Sum(_OWN_HOLD))
        ):
            own[card] = lots
    if order is not None and order.state == Order.State.PLACED:
        own[order.card_id] = own.get(order.card_id, 0) + order.lots
    return own


def lock(card: Card) -> Card:
    """The card's row, locked until the transaction ends: whoever takes lots takes them one after the other.

    On SQLite the transaction itself (IMMEDIATE) is the lock.
    """
    return Card.objects.select_for_update().get(pk=card.pk)


def _with_free_lots(cards: "QuerySet[Card]", now: datetime) -> "QuerySet[WithAnnotations[Card, Free]]":
    taken = Order.objects.live().filter(card=OuterRef("pk")).order_by().values("card").annotate(n=Sum("lots"))
    held = Quote.objects.holding(now).filter(card=OuterRef("pk")).order_by().values("card").annotate(n=Sum(_OWN_HOLD))
    return cards.annotate(
        lots_free=F("lots")
        - Coalesce(Subquery(taken.values("n"), output_field=IntegerField()), 0)
        - Coalesce(Subquery(held.values("n"), output_field=IntegerField()), 0)
    )
