"""Pages in another language say nothing in English: explaining, account, order, payment and desk pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import payments, rates, receiving
from rental.models import Letter, User
from rental.orders import ordering
from tests.common.leftovers import leftovers
from tests.rental.conftest import Place
from tests.rental.pages import at_desk, signed_in

pytestmark = pytest.mark.django_db

PUBLIC = (
    "/",
    "/guide/",
    "/help/",
    "/terms/",
    "/keep/",
    "/count/",
    "/rent/",
    "/rent/project",
    "/rent/project?libs=torch-cuda.flash-attn~.tensorrt.blender.apex.extension&unsure=own-code.unread.unpinned",
    "/rent/memory?parameters=7&precision=bf16&batch=1&sequence=8&layers=2&hidden=64&heads=4&kv_heads=4&attention=fused",
    "/rent/plan?install=2&checks=1&pilot=1&items=20&seconds=6&cards_used=1&export=5&speed=20&margin=25",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/x-x/",
    "/nowhere/",
)
SIGNED_IN = (
    "/account/",
    "/account/name",
    "/account/time-zone",
    "/orders/",
    "/pilots/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    "/accounts/2fa/webauthn/",
    "/account/close",
    "/accounts/sessions/",
    "/accounts/reauthenticate/",
    "/accounts/logout/",
)


@pytest.fixture(autouse=True)
def money_ways(db: None) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()


@pytest.mark.parametrize("path", PUBLIC)
def test_public_pages(path: str, catalogue: Any) -> None:
    assert not leftovers(Client(), path)


@pytest.mark.parametrize("path", SIGNED_IN)
def test_pages_of_an_account(path: str, customer: User) -> None:
    assert not leftovers(signed_in(customer), path)


def test_a_ledger(customer: User, put: Any) -> None:
    put(customer, 150_000)
    client = signed_in(customer)
    assert not leftovers(client, "/account/", ("for a test",))
    assert not leftovers(client, "/account/ledger", ("for a test",))


def test_a_quote_and_its_order_on_every_way(place: Place, customer: User, put: Any, staff: User) -> None:
    client = signed_in(customer)
    quote = ordering.quote(customer, card="b200", days=7, lots=2, preparation="pytorch")
    assert not leftovers(client, f"/rent/check/{quote.pk}")
    order = place()
    assert not leftovers(client, f"/orders/{order.code}")
    assert not leftovers(client, f"/orders/{order.code}/pay")
    asked = ordering.ask_payment(order, network="bitcoin", asset="BTC")
    pay = f"/orders/{order.code}/pay?request={asked.pk}"
    assert not leftovers(client, pay)
    payments.note_paid(asked)
    assert not leftovers(client, pay)
    facts: Any = {"network": "bitcoin", "transaction": "a" * 64, "output": 0, "address": asked.address.address}
    payments.record_receipt(**facts, amount=asked.due_units // 3, evidence="node", confirmed=False, by=staff)
    assert not leftovers(client, pay)
    payments.record_receipt(**facts, amount=asked.due_units // 3, evidence="node", confirmed=True, by=staff)
    for path in (pay, f"/orders/{order.code}", f"/orders/{order.code}/cancel", "/orders/", "/account/"):
        assert not leftovers(client, path)
    desk = at_desk(staff)
    for path in ("/desk/", f"/desk/orders/{order.code}", "/desk/receipts/new", "/desk/adjust", "/desk/rates/BTC"):
        assert not leftovers(desk, path, ("node",))
    ordering.cancel(order, customer, "")
    assert not leftovers(client, f"/orders/{order.code}")
    for letter in Letter.objects.all()[:3]:
        assert letter.subject


def test_a_delivered_order(deliver: Place, customer: User, staff: User) -> None:
    order = deliver()
    client = signed_in(customer)
    for tail in ("", "/access", "/extend", "/confirmation", "/receipt"):
        assert not leftovers(client, f"/orders/{order.code}{tail}")
    order.promised_at = timezone.now() - timedelta(hours=1)
    assert not leftovers(at_desk(staff), f"/desk/orders/{order.code}")
