"""An unpaid order is changed: the new one takes the place of the old one, or nothing happens at all."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from common.refusals import Refusal
from rental.catalogue import stock
from rental.desk import books
from rental.models import Card, Letter, MoveCode, Order, Quote, User
from rental.orders import arrivals, ordering
from tests.rental.conftest import Place
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db
CHOICE = {"card": "h100", "days": 7, "lots": 2, "preparation": "pytorch"}


def free(card: Card) -> int:
    return stock.free_lots(card, timezone.now())


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value.code


def changed(order: Order, **choice: Any) -> Quote:
    return ordering.quote(order.customer, changes=order, **(CHOICE | choice))


def came(order: Order, part: int, staff: User, number: int = 1) -> None:
    """Confirmed bitcoin for this order, `part` percent of its total."""
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()
    asked = ordering.ask_payment(order, network="bitcoin", asset="BTC")
    facts: Any = {"network": "bitcoin", "transaction": f"{number:064x}", "output": 0, "address": asked.address.address}
    payments.record_receipt(**facts, amount=asked.due_units * part // 100, evidence="node", confirmed=True, by=staff)


def test_the_new_order_takes_the_old_ones_place(place: Place, customer: User) -> None:
    old = place(lots=3)
    before = free(old.card)
    new = ordering.place(customer, changed(old).pk)
    assert ordering.place(customer, new.quote_id) == new
    old.refresh_from_db()
    assert (old.state, new.state, new.replaces) == ("cancelled", "placed", old)
    assert old.moves.last().code == MoveCode.REPLACED  # type: ignore[union-attr]
    assert free(old.card) == before + 1
    assert list(Letter.objects.filter(event__contains=":replaced").values_list("event", flat=True)) == [
        f"order:{old.code}:replaced"
    ]
    assert not Letter.objects.filter(event__endswith=":cancelled").exists()
    assert books.differences() == []


def test_its_own_lots_count_as_free_and_nobody_elses_do(place: Place, stranger: User) -> None:
    Card.objects.filter(slug="h100").update(lots=3)
    old = place(lots=2)
    assert refused(lambda: changed(old, lots=4)) == "no_stock"
    quote = changed(old, lots=3)
    assert free(old.card) == 0
    assert refused(lambda: ordering.quote(stranger, **(CHOICE | {"lots": 1}))) == "no_stock"
    assert ordering.place(old.customer, quote.pk).lots == 3
    assert free(old.card) == 0


def test_a_smaller_change_holds_nothing_more(place: Place) -> None:
    old = place(lots=3)
    before = free(old.card)
    changed(old, lots=2)
    assert free(old.card) == before
    changed(old, card="a100", lots=2)
    assert free(Card.objects.get(slug="a100")) == Card.objects.get(slug="a100").lots - 2


def test_a_refused_change_loses_nothing(place: Place, customer: User, settings: Any) -> None:
    old = place()
    quote = changed(old)
    Quote.objects.filter(pk=quote.pk).update(expires_at=timezone.now())
    assert refused(lambda: ordering.place(customer, quote.pk)) == "quote_expired"
    quote = changed(old)
    assert refused(lambda: ordering.place(customer, quote.pk, seen_total_cents=1)) == "total_changed"
    old.refresh_from_db()
    assert old.state == "placed"
    assert old.moves.count() == 1


def test_a_paid_order_is_not_changed(place: Place, put: Any, customer: User) -> None:
    old = place()
    quote = changed(old)
    put(customer, old.total_cents)
    ordering.pay_from_balance(old, customer)
    assert refused(lambda: ordering.place(customer, quote.pk)) == "wrong_state"
    assert refused(lambda: changed(old)) == "wrong_state"
    assert Order.objects.count() == 1
    assert free(old.card) == old.card.lots - 1


@pytest.mark.django_db(transaction=True)
def test_money_that_came_for_the_old_one_pays_the_new_one(place: Place, staff: User, customer: User) -> None:
    old = place(lots=2)
    came(old, 60, staff)
    smaller = ordering.place(customer, changed(old, days=3, lots=1).pk)
    smaller.refresh_from_db()
    assert smaller.state == "paid"
    assert ledger.balance_of(customer).cents == arrivals.credited_cents(old.code) - smaller.total_cents
    assert books.differences() == []


@pytest.mark.django_db(transaction=True)
def test_late_money_for_the_old_address_pays_the_new_one_too(place: Place, staff: User, customer: User) -> None:
    first = place(lots=1)
    came(first, 50, staff)
    asked = payments.requests_for(first.code)[0]
    second = ordering.place(customer, changed(first, days=3, lots=1).pk)
    third = ordering.place(customer, changed(second, days=3, lots=1).pk)
    assert arrivals.codes_of(third.code) == [third.code, second.code, first.code]
    assert third.state == "placed"
    facts: Any = {"network": "bitcoin", "transaction": "a" * 64, "output": 0, "address": asked.address.address}
    payments.record_receipt(**facts, amount=asked.due_units, evidence="node", confirmed=True, by=staff)
    third.refresh_from_db()
    assert third.state == "paid"


@pytest.mark.django_db(transaction=True)
def test_a_balance_alone_pays_no_changed_order_unasked(place: Place, put: Any, customer: User) -> None:
    old = place()
    put(customer, 10_000_00)
    new = ordering.place(customer, changed(old).pk)
    assert new not in arrivals.waiting_orders()
    new.refresh_from_db()
    assert new.state == "placed"


def test_by_its_pages(place: Place, customer: User, stranger: User) -> None:
    old, client = place(lots=1), signed_in(customer)
    address = client.get(f"/orders/{old.code}").content.decode().split('href="/rent/?')[1].split('"')[0]
    chooser = client.get("/rent/?" + address.replace("&amp;", "&"))
    assert f"You are changing order {old.code}." in text_of(chooser)
    form = {"card": "h100", "days": "7", "lots": "2", "preparation": "ubuntu", "order": old.code}
    assert signed_in(stranger).post("/rent/check", form).status_code == 404
    check = client.post("/rent/check", form)["Location"]
    words = text_of(client.get(check))
    assert f"It takes the place of order {old.code}" in words
    assert f"Replace order {old.code} – " in words
    client.post(check, {"form_id": "one", "pay_with": "crypto"})
    new = Order.objects.exclude(pk=old.pk).get()
    assert f"order {new.code} took its place" in text_of(client.get(f"/orders/{old.code}"))
    assert f"took the place of order {old.code}" in text_of(client.get(f"/orders/{new.code}"))
    assert client.get("/rent/?" + address.replace("&amp;", "&")).status_code == 200  # past changing: a plain chooser


@pytest.mark.django_db(transaction=True)
def test_changing_and_cancelling_and_paying_at_once_end_in_one_of_them(place: Place, put: Any, customer: User) -> None:
    old = place(card="cpu")
    put(customer, old.total_cents)
    quotes = [changed(old, card="cpu", days=7, lots=1).pk for _ in range(3)]
    gate, answers = threading.Barrier(9), []

    def act(number: int) -> None:
        gate.wait()
        try:
            if number % 3 == 0:
                done = ordering.place(customer, quotes[number // 3]).state
            elif number % 3 == 1:
                done = ordering.cancel(old, customer, seen_state="placed").state
            else:
                done = ordering.pay_from_balance(old, customer).state
            answers.append(str(done))
        except Refusal as error:
            answers.append(error.code)
        except Exception as error:
            answers.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {"placed", "paid", "cancelled", "wrong_state", "state_changed"}, answers
    old.refresh_from_db()
    assert Order.objects.filter(replaces=old).count() == int(old.moves.filter(code=MoveCode.REPLACED).exists())
    assert old.moves.count() == 2
    paid = old.state == "paid"
    assert ledger.balance_of(customer).cents == (0 if paid else old.total_cents)
    assert books.differences() == []


def test_money_on_its_way_to_the_old_address_keeps_the_new_order(place: Place, customer: User, staff: User) -> None:
    old = place()
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()
    asked = ordering.ask_payment(old, network="bitcoin", asset="BTC")
    new = ordering.place(customer, changed(old, lots=1).pk)
    assert ordering.lapse_due(new.pay_until) == 0
    facts: Any = {"network": "bitcoin", "transaction": "b" * 64, "output": 0, "address": asked.address.address}
    payments.record_receipt(**facts, amount=asked.due_units, evidence="node", confirmed=False, by=staff)
    assert ordering.lapse_due(new.pay_until + timedelta(hours=23)) == 0
    assert ordering.lapse_due(new.pay_until + timedelta(hours=24)) == 1
