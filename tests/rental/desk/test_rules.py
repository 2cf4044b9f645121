"""Two operators above a sum, a fresh second factor for money, and a row for every act at the desk."""

import time
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from billing.ledger import balance_of
from common.refusals import Refusal
from rental.accounts.people import make_operator
from rental.delivery import faults
from rental.desk import approvals, stepping
from rental.models import Approval, Letter, OperatorAct, Order, User
from tests.rental.conftest import Place, show
from tests.rental.orders.test_races import at_once
from tests.rental.pages import at_desk, signed_in, text_of


@pytest.fixture
def second(db: None) -> User:
    return make_operator("second@example.org", password="a long password 1").user


@pytest.fixture(autouse=True)
def small_sums(settings: Any) -> None:
    settings.TWO_PERSON_CENTS = 100_00


def adjust(client: Client, email: str, amount: str, **rest: str) -> Any:
    return client.post("/desk/adjust", {"email": email, "amount": amount, "reason": "a gift", "sure": "yes", **rest})


def test_a_small_sum_wants_one_operator_and_a_large_one_two(customer: User, staff: User, second: User) -> None:
    one, two = at_desk(staff), at_desk(second)
    adjust(one, customer.email, "100.00", form_id="a")
    assert balance_of(customer).cents == 100_00
    for _twice in range(2):
        adjust(one, customer.email, "100.01", form_id="b")
    row = Approval.objects.get()
    assert (balance_of(customer).cents, row.cents) == (100_00, 100_01)
    assert Letter.objects.get(event=f"approval:{row.pk}:{second.pk}").to == second.email
    assert not Letter.objects.filter(event=f"approval:{row.pk}:{staff.pk}").exists()
    assert customer.email in text_of(two.get("/desk/"))
    assert "another operator must answer" in text_of(one.post(f"/desk/approvals/{row.pk}"))
    assert balance_of(customer).cents == 100_00
    for _twice in range(2):
        two.post(f"/desk/approvals/{row.pk}")
    assert balance_of(customer).cents == 200_01
    row.refresh_from_db()
    assert (row.state, row.answered_by) == ("done", second)


def test_a_refused_act_is_not_done(customer: User, staff: User, second: User) -> None:
    row = approvals.adjust(customer, 500_00, staff, reason="x", key="k")
    assert row is not None
    assert at_desk(second).post(f"/desk/approvals/{row.pk}", {"refuse": "1", "reason": ""}).status_code == 409
    at_desk(second).post(f"/desk/approvals/{row.pk}", {"refuse": "1", "reason": "no such gift"})
    with pytest.raises(Refusal, match="not_waiting"):
        approvals.approve(row, second)
    assert balance_of(customer).cents == 0
    assert approvals.adjust(customer, 500_00, staff, reason="x", key="k") != row
    with pytest.raises(Refusal, match="adjust_too_large"):
        approvals.adjust(customer, 1_000_000_01, staff, reason="x", key="z")


def test_what_waited_too_long_is_not_done(customer: User, staff: User, second: User) -> None:
    row = approvals.adjust(customer, 500_00, staff, reason="x", key="k")
    assert row is not None
    Approval.objects.update(expires_at=row.asked_at)
    with pytest.raises(Refusal, match="not_waiting"):
        approvals.approve(row, second)
    assert approvals.adjust(customer, 500_00, staff, reason="x", key="k") != row


def test_the_database_itself_wants_another_person(customer: User, staff: User) -> None:
    row = approvals.adjust(customer, 500_00, staff, reason="x", key="k")
    assert row is not None
    with pytest.raises((DatabaseError, ValidationError)), transaction.atomic():
        Approval.objects.filter(pk=row.pk).update(answered_by=staff)


def test_a_refund_and_a_credit_above_the_sum(
    paid: Place, deliver: Place, staff: User, second: User, customer: User
) -> None:
    order = paid(card="h100", days=30)
    assert order.total_cents > 100_00
    at_desk(staff).post(f"/desk/orders/{order.code}/refund", {"reason": "no card"})
    order.refresh_from_db()
    assert order.state == "paid"
    approvals.approve(Approval.objects.get(kind="refund"), second)
    order.refresh_from_db()
    assert (order.state, balance_of(customer).cents) == ("refunded", order.total_cents)
    gone = deliver(card="h100", days=30)
    Order.objects.filter(pk=gone.pk).update(
        delivered_at=gone.delivered_at - 20 * (gone.ends_at - gone.delivered_at) / 30
    )
    gone.refresh_from_db()
    report = faults.report(gone, customer, text="down", since=gone.delivered_at)
    body = {"begins": report.since.replace(second=0, microsecond=0) + (report.reported_at - report.since) / 20,
            "ends": report.reported_at - (report.reported_at - report.since) / 20}  # fmt: skip
    form = {name: at.strftime("%Y-%m-%dT%H:%M") for name, at in body.items()}
    answer = at_desk(staff).post(f"/desk/faults/{report.pk}", form | {"lots": "1", "reason": "power"})
    assert answer.status_code == 302
    before = balance_of(customer).cents
    row = approvals.approve(Approval.objects.get(kind="downtime"), second)
    assert balance_of(customer).cents - before == row.cents > 100_00


@pytest.mark.django_db(transaction=True)
def test_approved_by_many_at_once_it_is_done_once(customer: User, staff: User) -> None:
    row = approvals.adjust(customer, 500_00, staff, reason="x", key="k")
    assert row is not None
    others = [make_operator(f"op{n}@example.org", password="a long password 1").user for n in range(8)]
    answers = at_once(8, lambda n: approvals.approve(row, others[n]).state)
    assert answers["done"] == 1, answers
    assert balance_of(customer).cents == 500_00


def old(client: Client) -> Client:
    session = client.session
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time() - 3600, "type": "totp"}]
    session.save()
    return client


def test_money_wants_a_fresh_second_factor_and_keeps_what_was_typed(customer: User, staff: User) -> None:
    client = old(at_desk(staff))
    assert client.get("/desk/").status_code == 200
    answer = adjust(client, customer.email, "15.50")
    assert (answer.status_code, "reauthenticate" in answer["Location"]) == (302, True) or "totp" in answer["Location"]
    assert (balance_of(customer).cents, OperatorAct.objects.count()) == (0, 0)
    session = client.session
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time(), "type": "totp"}]
    session.save()
    page = client.get("/desk/adjust").content.decode()
    assert customer.email in page
    assert "15.50" in page
    assert "a gift" in page
    assert customer.email not in client.get("/desk/adjust").content.decode(), "kept once"


def test_every_money_page_asks_for_it(paid: Place, staff: User) -> None:
    order = paid()
    client = old(at_desk(staff))
    for path in ("/desk/adjust", "/desk/rates/BTC", "/desk/receipts/new", f"/desk/orders/{order.code}/refund"):
        for answer in (client.get(path), client.post(path, {"reason": "x"})):
            assert answer.status_code == 302, path
            assert stepping.KEPT in client.session or answer.wsgi_request.method == "GET"


def test_each_act_leaves_one_row_and_a_refused_one_none(paid: Place, customer: User, staff: User) -> None:
    order, client = paid(), at_desk(staff)
    client.post(f"/desk/orders/{order.code}/prepare")
    show("host-1", order.card, order.cards)
    client.post(f"/desk/orders/{order.code}", {"hosts": ["nobody"], "access": "ssh secret"})
    client.post(f"/desk/orders/{order.code}", {"hosts": ["host-1"], "access": "ssh secret"})
    client.post(f"/desk/orders/{order.code}/prepare")  # too late
    client.post("/desk/adjust", {"email": customer.email, "amount": "1.00", "reason": "a look only"})
    adjust(client, customer.email, "1.00")
    rows = [(row.act, row.about, row.reason) for row in OperatorAct.objects.order_by("pk")]
    assert rows == [
        ("desk_prepare", order.code, ""), ("desk_order", order.code, ""), ("desk_adjust", "", "a gift"),
    ]  # fmt: skip
    assert "secret" not in str(list(OperatorAct.objects.values()))
    page = text_of(client.get("/desk/log/?act=adjust"))
    assert "a gift" in page
    assert "desk_prepare" not in page
    assert "No act fits" in text_of(client.get("/desk/log/?who=nobody"))
    with pytest.raises(DatabaseError), transaction.atomic():
        OperatorAct.objects.update(reason="other")


def desk_patterns(patterns: Any = None, start: str = "/") -> list[str]:
    found = []
    for one in patterns if patterns is not None else get_resolver().url_patterns:
        path = start + str(one.pattern)
        if isinstance(one, URLResolver):
            found += desk_patterns(one.url_patterns, path)
        elif isinstance(one, URLPattern) and "desk/" in path and not path.startswith(("/desk/", "/api/v1/desk/")):
            found.append(path)
    return found


def test_no_desk_page_lies_where_its_acts_would_not_be_kept() -> None:
    assert desk_patterns() == []


def test_a_stranger_meets_no_desk(customer: User) -> None:
    client = signed_in(customer)
    for path in ("/desk/log/", "/desk/proofs/", "/desk/approvals/1"):
        assert client.get(path).status_code == 404
