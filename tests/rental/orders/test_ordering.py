"""Placing, paying, cancelling, lapsing and refunding: who may, when, and what it does to money and stock."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError, transaction
from django.utils import timezone

from billing import ledger
from common.refusals import Refusal
from rental.catalogue import stock
from rental.models import Card, Letter, Order, OrderMove, Quote, User
from rental.orders import ordering

Put = Callable[[User, int], None]
Place = Callable[..., Order]


def cents(user: User) -> int:
    return ledger.balance_of(user).cents


def free(card: Card) -> int:
    return stock.free_lots(card, timezone.now())


def refused(act: Callable[[], Any]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


def test_a_quote_holds_stock_until_its_time_and_no_longer(catalogue: dict[str, Card], customer: User) -> None:
    card, before = catalogue["b200"], free(catalogue["b200"])
    quote = ordering.quote(customer, card="b200", days=3, lots=3, preparation="ubuntu")
    assert free(card) == before - 3
    with time_machine.travel(quote.expires_at - timedelta(seconds=1)):
        assert free(card) == before - 3
    with time_machine.travel(quote.expires_at):
        assert free(card) == before
        assert refused(lambda: ordering.place(customer, quote.pk)).code == "quote_expired"
    assert not Order.objects.exists()


def test_a_changed_mind_holds_one_choice_only(catalogue: dict[str, Card], customer: User) -> None:
    card, before = catalogue["h100"], free(catalogue["h100"])
    first = ordering.quote(customer, card="h100", days=3, lots=5, preparation="ubuntu")
    ordering.quote(customer, card="h100", days=3, lots=2, preparation="ubuntu", replaces=first.pk)
    assert free(card) == before - 2
    assert refused(lambda: ordering.place(customer, first.pk)).code == "quote_expired"


def test_nobody_gives_back_anothers_quote(catalogue: dict[str, Card], customer: User, stranger: User) -> None:
    theirs = ordering.quote(customer, card="h100", days=3, lots=5, preparation="ubuntu")
    ordering.quote(stranger, card="h100", days=3, lots=1, preparation="ubuntu", replaces=theirs.pk)
    theirs.refresh_from_db()
    assert theirs.released_at is None


def test_a_quote_above_the_stock_says_what_is_free(catalogue: dict[str, Card], customer: User) -> None:
    Card.objects.filter(slug="mi300x").update(lots=2)
    error = refused(lambda: ordering.quote(customer, card="mi300x", days=3, lots=3, preparation="ubuntu"))
    assert (error.code, error.data) == ("no_stock", {"lots_free": 2, "lots_wanted": 3})


def test_an_unclaimed_quote_belongs_to_the_first_who_signs_in_with_it(
    catalogue: dict[str, Card], customer: User, stranger: User
) -> None:
    quote = ordering.quote(None, card="h100", days=3, lots=1, preparation="ubuntu")
    assert ordering.claim(customer, quote.pk).customer == customer
    assert refused(lambda: ordering.place(stranger, quote.pk)).code == "quote_not_found"
    assert ordering.place(customer, quote.pk).customer == customer


@pytest.mark.parametrize("quote_id", ["", "0" * 26, "x\0y", "7Q4M-2X9F"])
def test_a_quote_that_is_none_is_not_found(catalogue: dict[str, Card], customer: User, quote_id: str) -> None:
    error = refused(lambda: ordering.place(customer, quote_id))
    assert (error.code, error.status) == ("quote_not_found", 404)


def test_the_same_form_or_quote_gives_the_same_order(catalogue: dict[str, Card], customer: User) -> None:
    quote = ordering.quote(customer, card="h100", days=3, lots=1, preparation="ubuntu")
    orders = {ordering.place(customer, quote.pk, form_id="form-1").pk for _ in range(20)}
    orders |= {ordering.place(customer, quote.pk).pk, ordering.place(customer, quote.pk, form_id="form-2").pk}
    assert len(orders) == 1
    assert OrderMove.objects.count() == 1
    assert Letter.objects.filter(event__endswith=":placed").count() == 1


def test_an_order_copies_its_quote(catalogue: dict[str, Card], customer: User) -> None:
    quote = ordering.quote(customer, card="b200", days=30, lots=2, preparation="custom", note=" Debian 12, please ")
    order = ordering.place(customer, quote.pk, seen_total_cents=quote.total_cents)
    for name in ("card_id", "days", "lots", "cards", "preparation", "preparation_note", "unit_price_cents"):
        assert getattr(order, name) == getattr(quote, name), name
    assert order.preparation_note == "Debian 12, please"
    assert order.total_cents == quote.total_cents == quote.unit_price_cents * 2
    assert order.state == Order.State.PLACED


def test_another_total_than_the_one_shown_places_nothing(catalogue: dict[str, Card], customer: User) -> None:
    quote = ordering.quote(customer, card="h100", days=3, lots=1, preparation="ubuntu")
    error = refused(lambda: ordering.place(customer, quote.pk, seen_total_cents=quote.total_cents - 1))
    assert (error.code, error.data) == ("total_changed", {"total_cents": quote.total_cents})
    assert not Order.objects.exists()


def test_stock_is_not_for_hoarders(catalogue: dict[str, Card], customer: User, settings: Any) -> None:
    settings.OPEN_QUOTES, settings.UNPAID_ORDERS = 3, 2
    quotes = [ordering.quote(customer, card="cpu", days=3, lots=1, preparation="ubuntu") for _ in range(3)]
    more = {"card": "cpu", "days": 3, "lots": 1, "preparation": "ubuntu"}
    assert refused(lambda: ordering.quote(customer, **more)).code == "too_many_quotes"
    for quote in quotes[:2]:
        ordering.place(customer, quote.pk)
    assert refused(lambda: ordering.place(customer, quotes[2].pk)).code == "too_many_unpaid_orders"


def test_paying_from_the_balance_charges_once(place: Place, put: Put, customer: User) -> None:
    order = place(lots=2)
    put(customer, order.total_cents + 5)
    for _ in range(5):
        ordering.pay_from_balance(order, customer)
    order.refresh_from_db()
    assert order.state == Order.State.PAID
    assert cents(customer) == 5
    assert order.promised_at is not None
    assert [m.new for m in order.moves.all()] == ["placed", "paid"]
    assert order.moves.last().actor == customer  # type: ignore[union-attr]


def test_a_short_balance_pays_nothing_and_says_both_figures(place: Place, put: Put, customer: User) -> None:
    order = place()
    put(customer, order.total_cents - 1)
    error = refused(lambda: ordering.pay_from_balance(order, customer))
    assert error.code == "insufficient_balance"
    assert error.data == {"balance_cents": order.total_cents - 1, "needed_cents": order.total_cents}
    order.refresh_from_db()
    assert (order.state, cents(customer)) == (Order.State.PLACED, order.total_cents - 1)


def test_cancelling_frees_the_lots_and_takes_no_money(place: Place, put: Put, customer: User) -> None:
    order = place(lots=3)
    put(customer, 1_000_00)
    before = free(order.card)
    ordering.cancel(order, customer, "changed my mind")
    ordering.cancel(order, customer, "again")
    assert free(order.card) == before + 3
    assert cents(customer) == 1_000_00
    assert refused(lambda: ordering.pay_from_balance(order, customer)).code == "wrong_state"
    assert order.moves.count() == 2


def test_an_unpaid_order_lapses_at_its_deadline(place: Place) -> None:
    order = place()
    before = free(order.card)
    assert ordering.lapse_due(order.pay_until - timedelta(seconds=1)) == 0
    assert ordering.lapse_due(order.pay_until) == 1
    assert ordering.lapse_due(order.pay_until) == 0
    order.refresh_from_db()
    assert order.state == Order.State.LAPSED
    assert free(order.card) == before + order.lots
    assert order.moves.last().actor is None  # type: ignore[union-attr]


def test_lapsing_loses_to_a_payment(place: Place, put: Put, customer: User) -> None:
    order = place()
    put(customer, order.total_cents)
    ordering.pay_from_balance(order, customer)
    assert ordering.lapse_due(order.pay_until + timedelta(days=9)) == 0


def test_the_table_of_moves_is_the_designs() -> None:
    assert {str(old): set(map(str, new)) for old, new in Order.MOVES.items()} == {
        "placed": {"paid", "cancelled", "lapsed"},
        "paid": {"preparing", "refunded"},
        "preparing": {"delivered", "refunded"},
        "delivered": {"ended"},
        "ended": set(), "cancelled": set(), "lapsed": set(), "refunded": set(),
    }  # fmt: skip
    assert set(Order.LIVE) | set(Order.FINAL) == set(Order.State)


def test_history_is_added_to_and_never_changed(place: Place) -> None:
    order = place()
    for change in (lambda: order.moves.update(note="other"), lambda: order.moves.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert order.moves.get().note == ""


def test_an_order_holds_what_its_quote_held_and_not_twice(place: Place) -> None:
    order = place(lots=4)
    assert free(order.card) == order.card.lots - 4
    assert not Quote.objects.holding(timezone.now()).exists()
