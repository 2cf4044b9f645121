"""Faults, credits for time down, wiping: acts and pages, each once, each told, and the books right after it."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing.ledger import balance_of
from common.refusals import Refusal
from rental.accounts import ssh_keys
from rental.delivery import faults, wiping
from rental.desk import books
from rental.models import Access, Downtime, FaultReport, Letter, User
from rental.orders import terms
from tests.rental.accounts.test_ssh_keys import LINE, PRINT
from tests.rental.conftest import DRIVER_WORDS, Place, show
from tests.rental.pages import at_desk, signed_in, text_of

Put = Any
START = "2027-02-01T10:00:20+00:00"


def letters(start: str) -> list[str]:
    return sorted(Letter.objects.filter(event__startswith=start).values_list("event", flat=True))


def test_a_fault_is_reported_confirmed_and_credited_once(deliver: Place, customer: User, staff: User) -> None:
    with time_machine.travel(START, tick=False) as clock:
        order = deliver(days=3, lots=1)
        client, desk = signed_in(customer), at_desk(staff)
        clock.shift(timedelta(hours=5))
        body = {"text": "CUDA error: no device", "since": "2027-02-01T11:00"}
        for _twice in range(2):
            assert client.post(f"/orders/{order.code}/fault", body).status_code == 302
        report = FaultReport.objects.get()
        assert balance_of(customer).cents == 0  # a report moves nothing
        assert "CUDA error" in text_of(desk.get("/desk/"))
        clock.shift(timedelta(hours=1))
        desk = at_desk(staff)  # its second factor given anew: money wants a fresh one
        answer = {"begins": "2027-02-01T11:00", "ends": "2027-02-01T14:00", "lots": "1", "reason": "a loose riser"}
        for _twice in range(2):
            assert desk.post(f"/desk/faults/{report.pk}", answer).status_code in (302, 409)
        row = Downtime.objects.get()
        assert row.cents == order.unit_price_cents * 3 // 72 == balance_of(customer).cents
        page = text_of(client.get(f"/orders/{order.code}"))
        assert "a loose riser" in page
        assert f"{row.cents / 100:,.2f} USD credited" in page
        assert letters(f"order:{order.code}:fault") + letters(f"order:{order.code}:downtime") == [
            f"order:{order.code}:fault:{report.pk}", f"order:{order.code}:downtime:{row.pk}",
        ]  # fmt: skip
        assert books.differences() == []
        assert "a loose riser" in text_of(client.get(f"/orders/{order.code}/receipt"))
        # The same hours again are worth nothing more; the rest of the term at most what was charged.
        more = faults.record(order, staff, begins=row.begins, ends=row.ends, lots=1, reason="again")
        assert more.cents == 0
        clock.move_to(order.ends_at)
        rest: Any = {"begins": order.delivered_at, "ends": order.ends_at, "lots": 1, "reason": "all"}
        assert row.cents + faults.record(order, staff, **rest).cents == order.total_cents
        assert books.differences() == []


def test_a_fault_that_was_not_found_credits_nothing(deliver: Place, customer: User, staff: User) -> None:
    order = deliver()
    report = faults.report(order, customer, text="slow", since=order.delivered_at)
    with pytest.raises(Refusal, match="fault_open"):
        faults.report(order, customer, text="another", since=order.delivered_at)
    answer = at_desk(staff).post(f"/desk/faults/{report.pk}", {"no-reason": "all four rungs passed", "not_found": "1"})
    assert answer.status_code == 302
    assert "all four rungs passed" in text_of(signed_in(customer).get(f"/orders/{order.code}"))
    with pytest.raises(Refusal, match="fault_answered"):
        faults.refuse(report, staff, reason="again")
    assert (balance_of(customer).cents, Downtime.objects.count()) == (0, 0)
    assert faults.report(order, customer, text="another", since=order.delivered_at).pk != report.pk


def test_times_outside_the_term_are_refused(deliver: Place, place: Place, customer: User, staff: User) -> None:
    order = deliver(lots=2)
    began, now = order.delivered_at, timezone.now()
    early, later = began - timedelta(minutes=1), now + timedelta(minutes=5)
    for since in (early, later):
        with pytest.raises(Refusal, match="since_outside"):
            faults.report(order, customer, text="x", since=since)
    for begins, ends, lots in ((early, now, 1), (began, later, 1), (now, began, 1)):
        with pytest.raises(Refusal, match="period_outside"):
            faults.record(order, staff, begins=begins, ends=ends, lots=lots, reason="x")
    for lots in (0, 3):
        with pytest.raises(Refusal, match="wrong_lots"):
            faults.record(order, staff, begins=began, ends=now, lots=lots, reason="x")
    with pytest.raises(Refusal, match="wrong_state"):
        faults.report(place(), customer, text="x", since=now)


def test_others_report_no_fault_of_mine(deliver: Place, stranger: User, customer: User) -> None:
    order = deliver()
    assert signed_in(stranger).get(f"/orders/{order.code}/fault").status_code == 404
    assert signed_in(customer).post(f"/orders/{order.code}/fault", {"since": "soon"}).status_code == 409


def test_a_machine_given_back_is_wiped_before_it_serves_again(deliver: Place, customer: User, staff: User) -> None:
    order = deliver(host="host-1")
    with pytest.raises(Refusal, match="still_serving"):
        wiping.record(order.hosts.get(), staff, method="erase")
    terms.end_due(order.ends_at)
    host, desk, client = order.hosts.get(), at_desk(staff), signed_in(customer)
    assert "Not wiped yet" in text_of(client.get(f"/orders/{order.code}"))
    assert "host-1" in text_of(desk.get("/desk/"))
    assert desk.post(f"/desk/wipes/{host.pk}", {"method": "prayer"}).status_code == 409
    for _twice in range(2):
        desk.post(f"/desk/wipes/{host.pk}", {"method": "erase", "note": "nvme format -s1"})
    assert "secure erase" in text_of(client.get(f"/orders/{order.code}"))
    assert "No machine waits to be wiped" in text_of(desk.get("/desk/"))
    assert len(letters(f"order:{order.code}:wiped")) == 1


def test_the_keys_of_the_handover_are_kept_and_shown(paid: Place, deliver: Place, customer: User, staff: User) -> None:
    ssh_keys.add(customer, text=f"{LINE} laptop", label="")
    waiting = paid()
    assert LINE in at_desk(staff).get(f"/desk/orders/{waiting.code}").content.decode()
    order = deliver(host="host-2")
    assert Access.objects.get(order=order).keys == [{"label": "laptop", "fingerprint": PRINT}]
    ssh_keys.remove(customer, customer.ssh_keys.get().pk)
    assert PRINT in text_of(signed_in(customer).get(f"/orders/{order.code}"))


def test_the_checklist_names_what_differs(paid: Place, deliver: Place, staff: User, customer: User) -> None:
    order = paid(card="h100", lots=2)
    show("host-9", order.card, 2, model="NVIDIA A100-SXM4-80GB", memory_gb=85.9)
    page = text_of(at_desk(staff).get(f"/desk/orders/{order.code}"))
    assert "H100 80 GB NVIDIA A100-SXM4-80GB missed" in page or "NVIDIA A100-SXM4-80GB missed" in page
    assert "Driver it answers – not measured" in page
    page = text_of(signed_in(customer).get(f"/orders/{deliver(card='h100').code}"))
    assert f"{DRIVER_WORDS['h100'][0]} met" in page
