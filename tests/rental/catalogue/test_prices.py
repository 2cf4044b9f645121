"""The price of an order: over every choice there is, and with choices that are none."""

import itertools
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from common.refusals import Refusal
from rental.catalogue import prices
from rental.catalogue.book import set_price
from rental.models import Card, Preparation, Price, Quote, User
from rental.orders import ordering

LOTS_OF_STOCK = 10_000


@pytest.fixture
def full(catalogue: dict[str, Card], settings: Any) -> dict[str, Card]:
    settings.OPEN_QUOTES = 10_000
    Card.objects.update(lots=LOTS_OF_STOCK)
    return {card.slug: card for card in Card.objects.all()}


def test_every_choice_costs_its_price_times_lots_and_never_times_cards(full: dict[str, Card], customer: User) -> None:
    listed = {(p.card.slug, p.days): p.cents for p in Price.objects.select_related("card")}
    seen = 0
    for (slug, card), days, preparation in itertools.product(full.items(), prices.DAYS, Preparation.values):
        for lots in prices.LOTS:
            quote = ordering.quote(customer, card=slug, days=days, lots=lots, preparation=preparation, note="a wish")
            assert quote.unit_price_cents == listed[slug, days]
            assert quote.total_cents == listed[slug, days] * lots
            assert quote.cards == lots * card.cards_per_lot
            seen += 1
    assert seen == 8 * 3 * 4 * 10


def test_two_lots_of_b200_are_four_cards_at_twice_the_price(full: dict[str, Card], customer: User) -> None:
    quote = ordering.quote(customer, card="b200", days=7, lots=2, preparation="pytorch")
    price = Price.objects.get(card__slug="b200", days=7).cents
    assert (quote.cards, quote.total_cents) == (4, price * 2)


@given(cents=st.integers(1, 10**9), lots=st.integers(1, 10))
def test_the_arithmetic_is_exact(cents: int, lots: int) -> None:
    assert prices.total_cents(cents, lots) == sum([cents] * lots)


TAMPERED = [
    ("lots", 0, "wrong_lots"),
    ("lots", 11, "wrong_lots"),
    ("lots", -1, "wrong_lots"),
    ("lots", 1.5, "wrong_lots"),
    ("lots", 1.0, "wrong_lots"),
    ("lots", True, "wrong_lots"),
    ("lots", "2", "wrong_lots"),
    ("lots", "1e1", "wrong_lots"),
    ("lots", None, "wrong_lots"),
    ("days", 8, "wrong_term"),
    ("days", 0, "wrong_term"),
    ("days", -7, "wrong_term"),
    ("days", 7.0, "wrong_term"),
    ("days", True, "wrong_term"),
    ("days", "7", "wrong_term"),
    ("card", "h100 ", "unknown_card"),
    ("card", "h100\0", "unknown_card"),
    ("card", 7, "unknown_card"),
    ("card", None, "unknown_card"),
    ("preparation", "windows", "unknown_preparation"),
    ("preparation", "", "unknown_preparation"),
    ("preparation", None, "unknown_preparation"),
    ("preparation", ["ubuntu"], "unknown_preparation"),
    ("preparation", "custom", "note_missing"),
    ("note", "a\0b", "note_unusable"),
    ("note", "x" * 2001, "note_too_long"),
]


@pytest.mark.parametrize(("name", "value", "code"), TAMPERED)
def test_a_choice_that_is_none_is_refused_at_its_field(
    catalogue: dict[str, Card], customer: User, name: str, value: Any, code: str
) -> None:
    choices = {"card": "h100", "days": 7, "lots": 1, "preparation": "ubuntu", "note": "", name: value}
    with pytest.raises(Refusal) as refused:
        ordering.quote(customer, **choices)
    assert (refused.value.code, refused.value.status) == (code, 422)
    assert refused.value.field
    assert not Quote.objects.exists()


@pytest.mark.parametrize("text", ["0x2", "1e1", "٣", "²", "+2", "-1", "1.5", "1,5", "", "2 3", "９", "9999999"])
def test_what_is_not_a_plain_whole_number_is_none(text: str) -> None:
    assert prices.whole(text) is None


def test_a_plain_whole_number_is_read() -> None:
    assert [prices.whole(text) for text in ("2", " 10 ", "0", "007")] == [2, 10, 0, 7]


def test_the_database_itself_refuses_a_wrong_total(catalogue: dict[str, Card], customer: User) -> None:
    quote = ordering.quote(customer, card="h100", days=7, lots=2, preparation="ubuntu")
    for wrong in ({"total_cents": 1}, {"lots": 11, "total_cents": quote.unit_price_cents * 11}, {"days": 5}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Quote.objects.filter(pk=quote.pk).update(**wrong)


def test_an_order_keeps_its_price_and_history_is_never_rewritten(
    catalogue: dict[str, Card], customer: User, staff: User
) -> None:
    card = catalogue["h100"]
    old = ordering.quote(customer, card="h100", days=7, lots=2, preparation="ubuntu")
    before = Price.objects.get(card=card, days=7)
    set_price(card, days=7, cents=99_99, by=staff)
    new = ordering.quote(customer, card="h100", days=7, lots=2, preparation="ubuntu")
    assert ordering.place(customer, old.pk).total_cents == before.cents * 2
    assert new.total_cents == 99_99 * 2
    with pytest.raises(DatabaseError), transaction.atomic():
        Price.objects.filter(pk=before.pk).update(cents=1)
    with pytest.raises(DatabaseError), transaction.atomic():
        Price.objects.filter(pk=before.pk).delete()
    assert Price.objects.get(pk=before.pk).cents == before.cents
