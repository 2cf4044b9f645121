"""The whole way through the pages without a script: choose, check, order, pay, receive, reveal."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import ledger, rates, receiving
from billing.models import PaidNotice, PaymentRequest, Receipt
from rental.models import AccessReveal, Card, Order, User
from tests.rental.conftest import show
from tests.rental.pages import at_desk, hidden, signed_in, text_of

pytestmark = pytest.mark.django_db(transaction=True)
B200 = {"card": "b200", "days": "7", "lots": "2", "preparation": "pytorch"}


@pytest.fixture
def money_ways(db: None) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()


def choose(client: Client, **choice: str) -> Any:
    """From the chooser to the check page."""
    answer = client.post("/rent/check", B200 | choice)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/rent/check/"), answer["Location"]
    return client.get(answer["Location"])


def test_walk(catalogue: dict[str, Card], money_ways: None, customer: User, staff: User) -> None:
    client, desk = signed_in(customer), at_desk(staff)
    page = choose(client)
    words = text_of(page)
    assert "2 lots = 4 cards" in words
    assert "4,200.00 USD" in words  # 2,100.00 × 2 lots, not × 4 cards
    assert "8,400.00" not in words

    form = {"form_id": hidden(page, "form_id")}
    placed = client.post(page.wsgi_request.get_full_path(), form)
    again = client.post(page.wsgi_request.get_full_path(), form)
    order = Order.objects.get()
    assert placed["Location"] == f"/orders/{order.code}/pay"
    assert again.status_code == 302
    assert order.state == "placed"

    code = order.code
    assert "Bitcoin" in text_of(client.get(f"/orders/{code}/pay"))
    asked = client.post(f"/orders/{code}/pay", {"network": "bitcoin", "asset": "BTC"})
    sheet = client.get(asked["Location"])
    request = PaymentRequest.objects.get()
    assert request.amount_cents == 4_200_00
    for _press in range(2):
        told = client.post(f"/orders/{code}/pay/{request.pk}/paid", {"transaction": ""})
        assert told.status_code == 302
    assert PaidNotice.objects.count() == 1
    assert "told us you paid" in text_of(client.get(sheet.wsgi_request.get_full_path()))
    order.refresh_from_db()
    assert order.state == "placed"
    assert ledger.balance_of(customer).cents == 0
    assert Receipt.objects.count() == 0
    assert "told, not seen" in text_of(client.get("/orders/"))

    part = request.due_units // 2
    receipt(desk, request, "a" * 64, part)
    order.refresh_from_db()
    assert order.state == "placed"
    assert 0 < ledger.balance_of(customer).cents < 4_200_00
    assert "seen, not paid" in text_of(client.get("/orders/"))
    receipt(desk, request, "b" * 64, request.due_units - part)
    order.refresh_from_db()
    assert order.state == "paid"
    assert ledger.balance_of(customer).cents == 0
    assert order.moves.filter(new="paid").count() == 1


def receipt(desk: Client, request: PaymentRequest, transaction: str, units: int) -> None:
    """An operator records what they saw, on the desk's own form, in whole coins."""
    address = f"/desk/receipts/new?request={request.pk}"
    form = desk.get(address)
    assert form.status_code == 200
    facts = {
        "network": request.network,
        "asset": request.asset,
        "transaction": transaction,
        "output": "0",
        "address": request.address.address,
        "amount": f"{units / 10**8:.8f}",
        "evidence": "explorer page read by hand",
        "confirmed": "on",
    }
    answer = desk.post(address, facts)
    assert answer.status_code == 302, text_of(answer)


def test_balance_paid_cpu_order_until_access(catalogue: dict[str, Card], customer: User, staff: User, put: Any) -> None:
    client, desk = signed_in(customer), at_desk(staff)
    put(customer, 10_00)
    page = choose(client, card="cpu", lots="1", days="3")
    assert "From your balance" in text_of(page)
    placed = client.post(page.wsgi_request.get_full_path(), {"form_id": hidden(page, "form_id"), "pay_with": "balance"})
    order = Order.objects.get()
    assert placed["Location"] == f"/orders/{order.code}/pay/balance"
    assert ledger.balance_of(customer).cents == 10_00
    check = text_of(client.get(placed["Location"]))
    assert "Left afterwards 8.00 USD" in check
    assert client.post(placed["Location"])["Location"] == f"/orders/{order.code}"
    assert ledger.balance_of(customer).cents == 8_00

    # Nothing is proved: refused, with the difference, and what was typed is still there.
    address = f"/desk/orders/{order.code}"
    refused = desk.post(address, {"hosts": ["here"], "access": "ssh ana@192.0.2.7"})
    assert refused.status_code == 409
    assert "here has shown no card yet" in text_of(refused)
    assert "ssh ana@192.0.2.7" in refused.content.decode()
    order.refresh_from_db()
    assert order.state == "paid"

    show("here", order.card, 1)
    assert "proved and free" in text_of(desk.get(address))
    done = desk.post(address, {"hosts": ["here"], "access": "ssh ana@192.0.2.7"})
    assert done.status_code == 302, text_of(done)
    order.refresh_from_db()
    assert order.state == "delivered"

    sealed = client.get(f"/orders/{order.code}")
    assert "192.0.2.7" not in sealed.content.decode()
    assert AccessReveal.objects.count() == 0
    shown = client.post(f"/orders/{order.code}/access")
    assert "ssh ana@192.0.2.7" in text_of(shown)
    assert "no-store" in shown["Cache-Control"]
    assert AccessReveal.objects.count() == 1
    assert "Access revealed" in text_of(client.get(f"/orders/{order.code}"))
