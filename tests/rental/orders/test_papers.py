"""Documents of an order: the same figures as the ledger, with the state at their time, and never a tax invoice."""

from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from billing.models import Journal, Posting
from rental.models import Order, User
from rental.orders import ordering, papers
from tests.rental.conftest import Place
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db(transaction=True)


def net_of(order: Order) -> int:
    """Straight from the ledger: what the customer's account lost for this order, coins apart."""
    own = Posting.objects.filter(account__customer=order.customer, journal__reference=order.code)
    return -(own.exclude(journal__kind=Journal.Kind.CREDIT).aggregate(n=Sum("cents"))["n"] or 0)


def test_the_confirmation_says_what_was_ordered_and_how_it_stands(place: Place, customer: User) -> None:
    order, client = place(card="b200", days=7, lots=2), signed_in(customer)
    words = text_of(client.get(f"/orders/{order.code}/confirmation"))
    for said in (
        "4,200.00 USD",
        "2 lots = 4 cards",
        "placed, not paid",
        "not a tax invoice",
        "Printed at",
        "Pay until",
    ):
        assert said in words, said
    assert client.get(f"/orders/{order.code}/receipt")["Location"] == f"/orders/{order.code}"
    assert "Receipt" not in text_of(client.get(f"/orders/{order.code}"))
    assert f"/orders/{order.code}/confirmation" in client.get(f"/orders/{order.code}").content.decode()


def test_a_receipt_of_coins_names_each_transaction(place: Place, customer: User, staff: User, put: Any) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()
    order = place(lots=2)
    put(customer, 100_00)
    asked = ordering.ask_payment(order, network="bitcoin", asset="BTC")
    facts: Any = {"network": "bitcoin", "output": 0, "address": asked.address.address, "evidence": "node"}
    for number, part in ((1, 50), (2, 60)):
        units = asked.due_units * part // 100
        payments.record_receipt(**facts, transaction=f"{number:064x}", amount=units, confirmed=True, by=staff)
    order.refresh_from_db()
    assert order.state == "paid"
    found = papers.paid(order)
    assert found is not None
    assert found.net_cents == net_of(order) == order.total_cents
    assert str(Journal.objects.get(key=f"order:{order.code}:pay").pk) == found.payment.journal
    words = text_of(signed_in(customer).get(f"/orders/{order.code}/receipt"))
    for coins in found.coins:
        assert coins.transaction in words
    assert found.payment.journal in words
    assert sum(coins.cents for coins in found.coins) + found.rest_cents >= order.total_cents


def test_a_receipt_follows_extensions(deliver: Place, put: Any, customer: User) -> None:
    order = deliver()
    put(customer, 500_00)
    for _time in range(2):
        ordering.extend(order, customer)
        order.refresh_from_db()
    found = papers.paid(order)
    assert found is not None
    assert [entry.cents for entry in found.after] == [-240_00, -240_00]
    assert found.rest_cents == 240_00
    assert found.net_cents == net_of(order) == 720_00
    words = text_of(signed_in(customer).get(f"/orders/{order.code}/receipt"))
    assert "Charged, less what went back 720.00 USD" in words
    assert f"Your balance now {ledger.balance_of(customer).cents // 100}.00 USD" in words


@pytest.mark.parametrize("by_operator", [False, True])
def test_a_receipt_follows_refunds(by_operator: bool, place: Place, put: Any, customer: User, staff: User) -> None:
    order = place()
    put(customer, order.total_cents)
    ordering.pay_from_balance(order, customer)
    if by_operator:
        ordering.refund(order, staff, "no machine to give")
    else:
        ordering.cancel(order, customer, "later")
    order.refresh_from_db()
    found = papers.paid(order)
    assert found is not None
    assert found.net_cents == net_of(order) == 0
    words = text_of(signed_in(customer).get(f"/orders/{order.code}/receipt"))
    assert ("no machine to give" in words) is by_operator
    assert "Refunded to the balance 240.00 USD" in words
    assert "refunded to balance" in words
