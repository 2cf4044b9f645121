"""Stock: how many lots of a card are free, and the lock that lets nobody sell the last one twice."""

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from rental.models import Card, Order, Quote

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


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


def lock(card: Card) -> Card:
    """The card's row, locked until the transaction ends: whoever takes lots takes them one after the other.

    On SQLite the transaction itself (IMMEDIATE) is the lock.
    """
    return Card.objects.select_for_update().get(pk=card.pk)


def _with_free_lots(cards: "QuerySet[Card]", now: datetime) -> "QuerySet[WithAnnotations[Card, Free]]":
    taken = Order.objects.live().filter(card=OuterRef("pk")).order_by().values("card").annotate(n=Sum("lots"))
    held = Quote.objects.holding(now).filter(card=OuterRef("pk")).order_by().values("card").annotate(n=Sum("lots"))
    return cards.annotate(
        lots_free=F("lots")
        - Coalesce(Subquery(taken.values("n"), output_field=IntegerField()), 0)
        - Coalesce(Subquery(held.values("n"), output_field=IntegerField()), 0)
    )
