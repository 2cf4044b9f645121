"""The desk: only operators with their second factor; each queue with its act; refusals keep what was typed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from billing.models import Account, PaymentRequest, Rate, Receipt
from rental.desk import books
from rental.models import Card, Letter, Order, User
from rental.orders import ordering
from tests.database import rules_lifted
from tests.rental.conftest import Place, person, show
from tests.rental.pages import at_desk, hidden, signed_in, text_of, title_of

pytestmark = pytest.mark.django_db
MOST_QUERIES = 19


@pytest.fixture(autouse=True)
def money_ways(db: None) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()


@pytest.fixture
def desk(staff: User) -> Client:
    return at_desk(staff)


@pytest.fixture
def asked(place: Place) -> PaymentRequest:
    return ordering.ask_payment(place(), network="bitcoin", asset="BTC")


def paid(place: Place, put: Any, **choice: Any) -> Order:
    order = place(**choice)
    put(order.customer, order.total_cents)
    return ordering.pay_from_balance(order, order.customer)


def facts(asked: PaymentRequest, **changed: str) -> dict[str, str]:
    return {
        "network": "bitcoin",
        "asset": "BTC",
        "transaction": "a" * 64,
        "output": "0",
        "address": asked.address.address,
        "amount": "0.001",
        "evidence": "explorer, block 925114",
    } | changed


def test_the_door(place: Place, put: Any, customer: User, staff: User) -> None:
    order = paid(place, put)
    code = order.code
    gets = [
        "/desk/", f"/desk/orders/{code}", f"/desk/orders/{code}/refund", "/desk/receipts/new", "/desk/receipts/1",
        "/desk/rates/BTC", "/desk/adjust",
    ]  # fmt: skip
    posts = [
        *gets[1:], f"/desk/orders/{code}/prepare", "/desk/receipts/1/replaced", "/desk/proof",
    ]  # fmt: skip
    idle = person("idle@example.org", is_staff=True, is_active=False)
    for client in (Client(), signed_in(customer), signed_in(idle)):
        assert {client.get(page).status_code for page in gets} == {404}
        assert {client.post(page).status_code for page in posts} == {404}
    half = signed_in(staff)
    for page in gets:
        answer = half.get(page)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/2fa/"), answer["Location"]
    assert {half.post(page).status_code for page in posts} == {302}
    order.refresh_from_db()
    assert order.state == "paid"
    assert at_desk(staff).get("/desk/").status_code == 200


def test_an_old_second_factor_is_asked_again(staff: User) -> None:
    client = at_desk(staff)
    session = client.session
    session["account_authentication_methods"][0]["at"] -= 9 * 3600
    session.save()
    assert client.get("/desk/").status_code == 302


def test_quiet_desk_says_so(desk: Client) -> None:
    words = text_of(desk.get("/desk/"))
    assert "Nothing waits for a person." in words
    assert "not run yet" in words


def test_a_notice_leads_to_the_receipt_that_pays(
    desk: Client, asked: PaymentRequest, django_capture_on_commit_callbacks: Any
) -> None:
    payments.note_paid(asked, "b" * 64)
    page = desk.get("/desk/")
    assert "1 thing waits for a person." in text_of(page)
    address = f"/desk/receipts/new?request={asked.pk}"
    assert address in page.content.decode()
    form = desk.get(address)
    assert asked.address.address in form.content.decode()
    assert "b" * 64 in text_of(form)
    amount = f"{asked.due_units / 10**8:.8f}"
    with django_capture_on_commit_callbacks(execute=True):
        answer = desk.post(address, facts(asked, amount=amount, confirmed="on"))
    receipt = Receipt.objects.get()
    assert answer["Location"] == f"/desk/receipts/{receipt.pk}"
    assert "Confirmed. 240.00 USD were credited" in text_of(desk.get(answer["Location"]))
    assert Order.objects.get().state == "paid"
    words = text_of(desk.get("/desk/"))
    assert "Every notice has its receipt, or there is none." in words
    assert "1 thing waits for a person." in words  # the paid order, to deliver


def test_receipt_form_keeps_what_was_typed(desk: Client, asked: PaymentRequest) -> None:
    wrong = {
        "amount": ["1,5", "1e3", "-1", "0", "0.123456789", "1 BTC", "٣"],
        "transaction": ["xyz", ""],
        "address": ["bc1qwrong", ""],
        "output": ["-1", "x"],
        "evidence": [""],
        "asset": ["XMR"],
    }
    for name, values in wrong.items():
        for value in values:
            answer = desk.post("/desk/receipts/new", facts(asked, **{name: value}))
            assert answer.status_code == 422, (name, value)
            assert title_of(answer).startswith("Error:")
            html = answer.content.decode()
            assert f'id="id_{name}_error"' in html, (name, value)
            assert "explorer, block 925114" in html or name == "evidence"
            assert value in html
    assert Receipt.objects.count() == 0


def test_a_seen_receipt_is_confirmed_with_evidence_or_replaced(desk: Client, asked: PaymentRequest) -> None:
    desk.post("/desk/receipts/new", facts(asked))
    receipt = Receipt.objects.get()
    address = f"/desk/receipts/{receipt.pk}"
    assert "Money to confirm" in text_of(desk.get("/desk/"))
    assert "Nothing of it is credited yet." in text_of(desk.get(address))
    assert desk.post(address, {"evidence": ""}).status_code == 409
    assert desk.post(address + "/replaced", {"evidence": ""}, follow=True).status_code == 200
    receipt.refresh_from_db()
    assert receipt.state == "seen"
    desk.post(address + "/replaced", {"evidence": "fee bump seen"})
    assert "The network dropped this transaction." in text_of(desk.get(address))
    desk.post("/desk/receipts/new", facts(asked, confirmed="on"))
    assert ledger.balance_of(asked.customer).cents > 0


def test_above_the_set_sum_another_operator_confirms(settings: Any, desk: Client, asked: PaymentRequest) -> None:
    settings.TWO_PERSON_CENTS = 1_00
    desk.post("/desk/receipts/new", facts(asked, confirmed="on"))
    receipt = Receipt.objects.get()
    address = f"/desk/receipts/{receipt.pk}"
    words = text_of(desk.get(address))
    assert "It waits for a second operator." in words
    assert "another operator must confirm" in words
    desk.post(address, {"evidence": "again"})
    assert ledger.balance_of(asked.customer).cents == 0
    assert "a second operator" in text_of(desk.get("/desk/"))
    second = at_desk(person("second@example.org", is_staff=True))
    assert second.post(address, {"evidence": "my own look"}).status_code == 302
    assert ledger.balance_of(asked.customer).cents == 89_99


def test_money_of_nobody_waits_for_a_person(desk: Client) -> None:
    address = receiving.take("bitcoin").address
    answer = desk.post("/desk/receipts/new", facts_at(address))
    assert answer.status_code == 302
    words = text_of(desk.get(answer["Location"]))
    assert "Confirmed, and credited to nobody." in words
    assert "Look at it" in text_of(desk.get("/desk/"))


def facts_at(address: str) -> dict[str, str]:
    return {
        "network": "bitcoin", "asset": "BTC", "transaction": "e" * 64, "output": "1", "address": address,
        "amount": "0.5", "evidence": "node", "confirmed": "on",
    }  # fmt: skip


def test_delivery_names_the_difference_and_keeps_the_form(desk: Client, place: Place, put: Any) -> None:
    order = paid(place, put, card="b200", days=7, lots=2)
    address = f"/desk/orders/{order.code}"
    cards = {card.slug: card for card in Card.objects.all()}
    show("gpu-1", cards["h100"], 8)
    show("gpu-2", cards["b200"], 2)
    show("gpu-3", cards["b200"], 8, hours_ago=48)
    page = text_of(desk.get(address))
    assert "It does not show B200." in page
    assert "too long ago" in page
    assert "proved and free" in page
    for hosts, said in (
        (["gpu-1"], "was sold"),
        (["gpu-2"], "enough for 1 of the 2 lots sold"),
        (["gpu-3"], "run its diagnostic again"),
        (["nowhere"], "nowhere has shown no card yet"),
    ):
        refused = desk.post(address, {"hosts": hosts, "access": "ssh ana@192.0.2.1"})
        assert refused.status_code == 409
        assert said in text_of(refused), hosts
        assert "ssh ana@192.0.2.1" in refused.content.decode()
        assert title_of(refused).startswith("Error:")
    assert 'value="gpu-2" checked' in desk.post(address, {"hosts": ["gpu-2"], "access": ""}).content.decode()
    assert desk.post(address, {"access": "x"}).status_code == 409
    show("gpu-2", cards["b200"], 4)
    assert desk.post(address, {"hosts": ["gpu-2"], "access": "ssh ana@192.0.2.1"})["Location"] == address
    order.refresh_from_db()
    assert order.state == "delivered"
    done = desk.get(address)
    assert "It was handed over, and its term runs." in text_of(done)
    assert "192.0.2.1" not in done.content.decode()
    other = paid(place, put, card="b200", days=3, lots=1)
    assert "It serves another order." in text_of(desk.get(f"/desk/orders/{other.code}"))


def test_late_orders_come_first_and_are_marked(desk: Client, place: Place, put: Any) -> None:
    calm, late = paid(place, put), paid(place, put, card="l40s")
    Order.objects.filter(pk=late.pk).update(promised_at=timezone.now() - timedelta(hours=1))
    page = desk.get("/desk/")
    html = page.content.decode()
    assert html.index(late.code) < html.index(calm.code)
    assert "2 things wait for a person. 1 delivery is late." in text_of(page)
    assert "none shows this card" in text_of(page)


def test_preparation_and_refund(desk: Client, place: Place, put: Any, customer: User) -> None:
    order = paid(place, put)
    address = f"/desk/orders/{order.code}"
    assert desk.post(f"{address}/refund", {"reason": ""}).status_code == 409
    assert "Refund 240.00 USD to the balance" in text_of(desk.get(f"{address}/refund"))
    desk.post(f"{address}/refund", {"reason": "the host failed its diagnostic"})
    assert ledger.balance_of(customer).cents == 240_00
    words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
    assert "This order was refunded." in words
    assert "the host failed its diagnostic" in words
    begun = paid(place, put)
    desk.post(f"/desk/orders/{begun.code}/prepare")
    begun.refresh_from_db()
    assert begun.state == "preparing"
    assert desk.get(f"/desk/orders/{begun.code}/refund").status_code == 200
    again = desk.post(f"/desk/orders/{order.code}/prepare", follow=True)
    assert "refunded to the balance" in text_of(again)


def test_rates_are_renewed_and_what_is_wrong_stays_typed(desk: Client) -> None:
    assert text_of(desk.get("/desk/")).count("in use") >= 6
    for value, hours in (
        ("0", "24"),
        ("1,5", "24"),
        ("-3", "24"),
        ("1.1234567", "24"),
        ("91240.50", "0"),
        ("5", "999"),
    ):
        answer = desk.post("/desk/rates/BTC", {"value": value, "hours": hours})
        assert answer.status_code == 422
        assert f'value="{value}"' in answer.content.decode()
    before = Rate.objects.count()
    assert desk.post("/desk/rates/BTC", {"value": "91240.50", "hours": "12"})["Location"] == "/desk/"
    rate = Rate.objects.order_by("-pk")[0]
    assert (Rate.objects.count(), rate.micro_usd, rate.set_by is not None) == (before + 1, 91_240_500_000, True)
    assert "91240.50" in text_of(desk.get("/desk/"))
    assert desk.get("/desk/rates/DOGE").status_code == 404


def test_an_adjustment_is_looked_at_before_it_is_written_once(desk: Client, customer: User) -> None:
    form = {"email": customer.email.upper(), "amount": "15.50", "reason": "goodwill"}
    look = desk.post("/desk/adjust", form)
    words = text_of(look)
    assert "Balance afterwards 15.50 USD" in words
    assert ledger.balance_of(customer).cents == 0
    sure = form | {"form_id": hidden(look, "form_id"), "sure": "yes"}
    for _press in range(3):
        assert desk.post("/desk/adjust", sure).status_code == 302
    assert ledger.balance_of(customer).cents == 15_50
    for changed in ({"amount": "15,50"}, {"amount": "0"}, {"reason": ""}, {"email": "nobody@example.org"}):
        answer = desk.post("/desk/adjust", form | changed)
        assert answer.status_code == 422
        assert "Check this adjustment" in text_of(answer)
    below = desk.post("/desk/adjust", form | {"amount": "-100.00", "sure": "yes", "form_id": "x"})
    assert below.status_code == 422
    assert ledger.balance_of(customer).cents == 15_50


def test_the_proof_is_run_and_shown(desk: Client, place: Place, put: Any, deliver: Place) -> None:
    paid(place, put)
    deliver(card="l40s")
    assert books.differences() == []
    assert desk.post("/desk/proof").status_code == 302
    assert "holds" in text_of(desk.get("/desk/"))
    Order.objects.filter(state="paid").update(state="cancelled")
    assert [one.code for one in books.differences()] == ["order_charge_wrong"]
    with rules_lifted():
        Account.objects.filter(kind="customer").update(balance_cents=1)
    desk.post("/desk/proof")
    assert "differences" in text_of(desk.get("/desk/"))
    assert "order_charge_wrong" in text_of(desk.get("/desk/"))


def test_letters_given_up_are_counted(desk: Client) -> None:
    Letter.objects.create(event="x", to="a@example.org", language="en", subject="s", text="t", next_attempt_at=None)
    assert "1 letter" in text_of(desk.get("/desk/"))


def test_queries_do_not_grow(desk: Client, place: Place, put: Any, deliver: Place, asked: PaymentRequest) -> None:
    payments.note_paid(asked)
    waiting, gone = paid(place, put, card="b200"), deliver()
    desk.post("/desk/receipts/new", facts(asked, transaction="9" * 64))
    pages = [
        "/desk/", f"/desk/orders/{waiting.code}", f"/desk/orders/{gone.code}", f"/desk/orders/{asked.reference}",
        f"/desk/orders/{waiting.code}/refund", "/desk/receipts/new", f"/desk/receipts/new?request={asked.pk}",
        f"/desk/receipts/{Receipt.objects.get().pk}", "/desk/rates/BTC", "/desk/adjust",
    ]  # fmt: skip
    few = {page: count(desk, page) for page in pages}
    assert {page: n for page, n in few.items() if n > (MOST_QUERIES if page == "/desk/" else 12)} == {}
    for number in range(3):
        paid(place, put, card="l40s")
        show(f"more-{number}", waiting.card, 2)
        more = ordering.ask_payment(place(card="cpu"), network="bitcoin", asset="BTC")
        payments.note_paid(more)
        desk.post("/desk/receipts/new", facts(asked, transaction=f"{number}" * 64))
        deliver(host=f"host-{number + 2}", card="h100")
    grown = {page: count(desk, page) for page in pages}
    assert grown == few


def count(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200, page
    return len(queries)
