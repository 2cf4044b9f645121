"""Order and payment pages: the owner's alone, honest about what is not yet true, in a fixed number of queries."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from billing.models import PaidNotice
from rental.models import AccessReveal, Order, User
from rental.orders import ordering, terms
from tests.rental.conftest import Place, show
from tests.rental.pages import at_desk, hidden, signed_in, text_of, title_of

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


@pytest.fixture(autouse=True)
def money_ways(db: None) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()


def paid(place: Place, put: Any, **choice: Any) -> Order:
    order = place(**choice)
    put(order.customer, order.total_cents)
    return ordering.pay_from_balance(order, order.customer)


def pages_of(code: str) -> Iterator[tuple[str, str]]:
    """Every address with an order in it, and the method that acts there."""
    for tail, method in (
        ("", "get"),
        ("/cancel", "get"),
        ("/cancel", "post"),
        ("/confirmation", "get"),
        ("/receipt", "get"),
        ("/extend", "get"),
        ("/extend", "post"),
        ("/access", "get"),
        ("/access", "post"),
        ("/pay", "get"),
        ("/pay", "post"),
        ("/pay/balance", "get"),
        ("/pay/balance", "post"),
    ):
        yield f"/orders/{code}{tail}", method


@pytest.mark.parametrize("state", ["placed", "delivered"])
def test_only_the_owner_finds_an_order(
    state: str, place: Place, deliver: Place, stranger: User, staff: User, customer: User
) -> None:
    order = place() if state == "placed" else deliver()
    for address, method in pages_of(order.code):
        nobody = getattr(Client(), method)(address)
        assert nobody.status_code == 302, (address, method)
        assert nobody["Location"].startswith("/accounts/login/?next=/orders/")
        assert getattr(signed_in(stranger), method)(address).status_code == 404, (address, method)
        # An operator looks at orders from the desk, not through the customer's door.
        assert getattr(at_desk(staff), method)(address).status_code == 404, (address, method)
    order.refresh_from_db()
    assert order.state == state
    assert AccessReveal.objects.count() == 0
    assert signed_in(customer).get(f"/orders/{order.code.lower()}").status_code == 200
    assert signed_in(customer).get("/orders/ZZZZ-ZZZZ").status_code == 404


def test_another_customers_request_takes_no_notice(place: Place, customer: User, stranger: User) -> None:
    own, theirs = place(), place(who=stranger)
    asked = ordering.ask_payment(theirs, network="bitcoin", asset="BTC")
    client = signed_in(customer)
    assert client.post(f"/orders/{own.code}/pay/{asked.pk}/paid").status_code == 404
    assert client.post(f"/orders/{theirs.code}/pay/{asked.pk}/paid").status_code == 404
    mine = ordering.ask_payment(own, network="bitcoin", asset="BTC")
    other = place(card="l40s")
    assert client.post(f"/orders/{other.code}/pay/{mine.pk}/paid").status_code == 404
    assert PaidNotice.objects.count() == 0
    assert client.get(f"/orders/{own.code}/pay?request={asked.pk}").status_code == 200
    assert asked.address.address not in client.get(f"/orders/{own.code}/pay?request={asked.pk}").content.decode()


def test_acts_are_posts(place: Place, customer: User) -> None:
    order, client = place(), signed_in(customer)
    asked = ordering.ask_payment(order, network="bitcoin", asset="BTC")
    assert client.get(f"/orders/{order.code}/pay/{asked.pk}/paid").status_code == 405
    client.get(f"/orders/{order.code}/cancel")
    client.get(f"/orders/{order.code}/pay/balance")
    order.refresh_from_db()
    assert order.state == "placed"


def test_state_of_a_placed_order_says_what_is_not_yet(place: Place, customer: User) -> None:
    order = place(card="b200", days=7, lots=2)
    words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
    assert "It is not paid yet." in words
    assert "No machine is being prepared yet" in words
    assert "2 lots = 4 cards" in words
    assert "Go to the payment – 4,200.00 USD" in words
    assert 'class="confirmed"' not in words


def test_no_green_before_confirmed(place: Place, customer: User, staff: User) -> None:
    order, client = place(), signed_in(customer)
    asked = ordering.ask_payment(order, network="bitcoin", asset="BTC")
    address = f"/orders/{order.code}"

    def green() -> bool:
        return 'svg class="confirmed"' in client.get(address).content.decode()

    assert not green()
    payments.note_paid(asked)
    assert "You told us you paid. We have not seen the money yet." in text_of(client.get(address))
    assert not green()
    facts = {"network": "bitcoin", "transaction": "a" * 64, "output": 0, "address": asked.address.address}
    payments.record_receipt(**facts, amount=asked.due_units, evidence="node", confirmed=False, by=staff)
    assert "Some money was seen for this order." in text_of(client.get(address))
    assert not green()


def test_deadline_passed_says_do_not_send_again(place: Place, customer: User) -> None:
    order = place()
    Order.objects.filter(pk=order.pk).update(pay_until=timezone.now() - timedelta(minutes=1))
    words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
    assert "The time to pay this order is over." in words
    assert "do not send it again" in words
    assert "Go to the payment" not in words


def test_late_delivery_is_said(place: Place, put: Any, customer: User) -> None:
    order = paid(place, put)
    assert "Your order is paid in full." in text_of(signed_in(customer).get(f"/orders/{order.code}"))
    Order.objects.filter(pk=order.pk).update(promised_at=timezone.now() - timedelta(minutes=1))
    words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
    assert "Its delivery is late." in words
    assert "paid, delivery late" in text_of(signed_in(customer).get("/orders/"))


def test_cancel_asks_first_then_cancels_with_the_reason(place: Place, customer: User) -> None:
    order, client = place(), signed_in(customer)
    assert "cannot be taken up again" in text_of(client.get(f"/orders/{order.code}/cancel"))
    long = client.post(f"/orders/{order.code}/cancel", {"reason": "x" * 301})
    assert "300 characters" in text_of(long)
    assert "x" * 301 in long.content.decode()
    assert title_of(long).startswith("Error:")
    assert client.post(f"/orders/{order.code}/cancel", {"reason": "wrong card"})["Location"] == f"/orders/{order.code}"
    words = text_of(client.get(f"/orders/{order.code}"))
    assert "This order was cancelled before it was paid." in words
    assert "wrong card" in words
    assert client.get(f"/orders/{order.code}/cancel").status_code == 302
    assert client.get(f"/orders/{order.code}/pay").status_code == 302


def test_balance_page_shows_both_figures_when_short(place: Place, put: Any, customer: User) -> None:
    order, client = place(), signed_in(customer)
    put(customer, 100_00)
    words = text_of(client.get(f"/orders/{order.code}/pay/balance"))
    assert "Missing 140.00 USD" in words
    assert "Your balance was not charged." in words
    refused = client.post(f"/orders/{order.code}/pay/balance")
    assert refused.status_code == 409
    assert "100.00 USD" in text_of(refused)
    assert title_of(refused).startswith("Error:")
    assert ledger.balance_of(customer).cents == 100_00


def test_payment_chooses_network_then_asset_and_keeps_refusals(place: Place, customer: User) -> None:
    order, client = place(), signed_in(customer)
    address = f"/orders/{order.code}/pay"
    assert "Ethereum" in text_of(client.get(address))
    assert "USDC" in text_of(client.get(address + "?network=ethereum"))
    refused = client.post(address, {"network": "bitcoin", "asset": "XMR"})
    assert refused.status_code == 422
    assert title_of(refused).startswith("Error:")
    sheet = client.post(address, {"network": "ethereum", "asset": "USDC"})["Location"]
    assert "240 USDC" in text_of(client.get(sheet))
    assert "240 USDC" in text_of(client.get(address))
    assert "Bitcoin" in text_of(client.get(address + "?choose"))
    bad = client.post(sheet.split("?")[0] + f"/{sheet.split('=')[1]}/paid", {"transaction": "not a transaction"})
    assert bad.status_code == 422
    assert "not a transaction" in bad.content.decode()
    assert PaidNotice.objects.count() == 0


def test_access_is_shown_once_and_each_reveal_is_kept(deliver: Place, customer: User) -> None:
    order, client = deliver(), signed_in(customer)
    address = f"/orders/{order.code}/access"
    for page in (client.get(f"/orders/{order.code}"), client.get(address)):
        assert "203.0.113.7" not in page.content.decode()
    assert AccessReveal.objects.count() == 0
    shown = client.post(address)
    assert "ssh ana@203.0.113.7" in text_of(shown)
    assert "no-store" in shown["Cache-Control"]
    assert "203.0.113.7" not in client.get(address).content.decode()
    assert AccessReveal.objects.count() == 1
    assert "Revealed 1 time" in text_of(client.get(f"/orders/{order.code}"))
    Order.objects.filter(pk=order.pk).update(ends_at=timezone.now() - timedelta(seconds=1))
    terms.end_due(timezone.now())
    refused = client.post(address, follow=True)
    assert "203.0.113.7" not in refused.content.decode()
    assert "There is no access to show" in text_of(refused)
    assert AccessReveal.objects.count() == 1


def test_extension_is_charged_once_however_often_it_is_sent(deliver: Place, put: Any, customer: User) -> None:
    order, client = deliver(), signed_in(customer)
    address = f"/orders/{order.code}/extend"
    assert "Nothing is charged now." in text_of(client.get(address))
    put(customer, 500_00)
    page = client.get(address)
    assert "Extend the term – 240.00 USD" in text_of(page)
    form = {"seen_ends_at": hidden(page, "seen_ends_at")}
    for _press in range(3):
        assert client.post(address, form)["Location"] == f"/orders/{order.code}"
    assert ledger.balance_of(customer).cents == 260_00
    before = order.ends_at
    order.refresh_from_db()
    assert before is not None
    assert order.ends_at == before + timedelta(hours=72)
    # Without the end that was seen nothing is charged.
    for wrong in ({}, {"seen_ends_at": "soon"}, {"seen_ends_at": "2026-01-01T00:00:00"}, {"seen_ends_at": "9" * 40}):
        client.post(address, wrong)
    assert ledger.balance_of(customer).cents == 260_00


def test_orders_list_is_paged_and_empty_lists_say_what_to_do(place: Place, customer: User, stranger: User) -> None:
    assert "You have not ordered anything yet." in text_of(signed_in(stranger).get("/orders/"))
    orders = [place(card="cpu") for _ in range(5)]
    Order.objects.filter(pk__in=[order.pk for order in orders]).update(state="cancelled")
    for _ in range(21):
        Order.objects.filter(pk=place(card="cpu").pk).update(state="cancelled")
    client = signed_in(customer)
    first = client.get("/orders/")
    assert first.content.decode().count('class="id" href="/orders/') == 25
    older = first.content.decode().split('href="?after=')[1].split('"')[0]
    second = client.get(f"/orders/?after={older}")
    assert orders[0].code in second.content.decode()
    assert client.get("/orders/?after=nonsense")["Location"] == "/orders/"


def test_queries_do_not_grow(place: Place, deliver: Place, put: Any, customer: User, staff: User) -> None:
    client = signed_in(customer)
    waiting, delivered = place(card="b200"), deliver()
    asked = ordering.ask_payment(waiting, network="bitcoin", asset="BTC")
    payments.note_paid(asked)
    facts = {"network": "bitcoin", "output": 0, "address": asked.address.address, "evidence": "node"}
    payments.record_receipt(**facts, transaction="1" * 64, amount=10, confirmed=True, by=staff)
    pages = [
        "/rent/?card=b200&days=7&lots=2&preparation=pytorch",
        "/orders/",
        f"/orders/{waiting.code}",
        f"/orders/{waiting.code}/pay",
        f"/orders/{waiting.code}/pay?choose",
        f"/orders/{waiting.code}/pay?network=ethereum",
        f"/orders/{waiting.code}/pay/balance",
        f"/orders/{waiting.code}/cancel",
        f"/orders/{delivered.code}",
        f"/orders/{delivered.code}/extend",
        f"/orders/{waiting.code}/confirmation",
        f"/orders/{delivered.code}/receipt",
        f"/orders/{delivered.code}/access",
    ]
    few = {page: count(client, page) for page in pages}
    assert {page: n for page, n in few.items() if n > MOST_QUERIES} == {}
    for number in range(3):
        payments.record_receipt(**facts, transaction=f"{number + 2}" * 64, amount=10, confirmed=True, by=staff)
        client.post(f"/orders/{delivered.code}/access")
        show("host-1", delivered.card, delivered.cards)
        Order.objects.filter(pk=place(card="cpu").pk).update(state="lapsed")
    assert {page: count(client, page) for page in pages} == few


def count(client: Client, page: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(page).status_code == 200, page
    return len(queries)


@pytest.mark.parametrize("language", ["fr", "es", "pt-br", "tr"])
def test_pages_render_in_every_language(language: str, deliver: Place, customer: User) -> None:
    order, client = deliver(), signed_in(customer)
    client.cookies["django_language"] = language
    for page in ("/rent/", "/orders/", f"/orders/{order.code}", f"/orders/{order.code}/extend"):
        answer = client.get(page)
        assert answer.status_code == 200
        assert answer["Content-Language"] == language
