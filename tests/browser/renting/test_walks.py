"""Renting, walked in a browser: French and Turkish, on a phone and a wide screen, with scripts and without."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing.ledger import balance_of
from rental.models import Card, FaultReport, Order, User, Wipe
from rental.orders import ordering, terms, waiting
from tests.browser.renting.conftest import Walker
from tests.browser.test_walk import cents
from tests.rental.conftest import show

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_sold_out_and_the_waiting_list(walker: Walker, place: Any, customer: User, stranger: User) -> None:
    Card.objects.filter(slug="l40s").update(lots=1)
    taken = place(card="l40s", who=stranger)
    page = walker.be(customer).go("/rent/?card=l40s")
    assert page.locator("[name=card][value=l40s]").is_disabled()
    page.locator("a[href*='/rent/wait/l40s']").click()
    walker.look()
    page.fill("[name=lots]", "1")
    page.check("[name=days][value='3']")
    walker.press()
    assert page.locator("button[name=leave]").count() == 1
    walker.axe()
    walker.targets()
    ordering.cancel(taken, stranger, "")
    assert waiting.offer_due(timezone.now()) == 1
    walker.go("/rent/wait/l40s")
    page.locator("main a[href*='/rent/check/']").click()
    walker.look()
    walker.press()
    assert Order.objects.get(customer=customer).card.slug == "l40s"


def test_signing_up_in_the_middle_of_an_order_keeps_it(walker: Walker, catalogue: Any) -> None:
    page = walker.be(None).go("/rent/")
    page.check("[name=card][value=b200]")
    page.check("[name=days][value='30']")
    page.fill("[name=lots]", "3")
    page.check("[name=preparation][value=blender]")
    walker.press("main .stub button.primary")
    page.locator("main a[href*='signup']").first.click()
    walker.look()
    for name, text in {"first_name": "Zeynep", "last_name": "Şahin", "email": "zeynep@example.org",
                       "password1": "on iki belge dokuz"}.items():  # fmt: skip
        page.fill(f"[name={name}]", text)
    walker.press()
    assert "/rent/check/" in page.url
    walker.axe()
    total = cents(page.locator("main button.primary").first.inner_text())
    walker.press()
    order = Order.objects.get(customer__email="zeynep@example.org")
    assert (order.card.slug, order.days, order.lots, order.cards) == ("b200", 30, 3, 6)
    assert (order.preparation, order.total_cents, order.unit_price_cents * 3) == ("blender", total, total)


def test_a_term_is_extended(walker: Walker, deliver: Any, put: Any, customer: User) -> None:
    order = deliver(days=3)
    page = walker.be(customer).go(f"/orders/{order.code}/extend")
    assert page.locator("main button.primary").count() == 0, "the balance does not cover it yet"
    put(customer, order.total_cents)
    walker.go(f"/orders/{order.code}")
    walker.axe()
    page.locator("main .acts a[href$='/extend']").click()
    walker.look()
    walker.press()
    later = Order.objects.get(pk=order.pk)
    assert later.ends_at == order.ends_at + timedelta(hours=72)
    assert balance_of(customer).cents == 0


def test_a_paid_order_is_cancelled_and_the_price_is_on_the_balance(walker: Walker, paid: Any, customer: User) -> None:
    order = paid(card="a100", days=7, lots=2)
    page = walker.be(customer).go(f"/orders/{order.code}")
    page.locator("main .acts a[href$='/cancel']").click()
    walker.look()
    figures = [cents(row.inner_text()) for row in page.locator("main form .waybill dd").all()]
    assert figures == [0, order.total_cents, order.total_cents]
    walker.axe()
    walker.targets()
    walker.press()
    assert Order.objects.get(pk=order.pk).state == "refunded"
    walker.go("/account/")
    assert cents(page.locator(".money").first.inner_text()) == order.total_cents


def test_wrong_cards_at_delivery_are_refused_with_the_difference(
    walker: Walker, paid: Any, staff: User, customer: User
) -> None:
    order = paid(card="h100", lots=2)
    show("host-few", order.card, 1)
    show("host-other", order.card, 2, model="NVIDIA A100-SXM4-80GB", memory_gb=85.9)
    page = walker.be(staff, desk=True).go(f"/desk/orders/{order.code}")
    assert page.locator("[name=hosts][value=host-other]").is_disabled()
    assert page.locator("main table", has_text="host-other").locator("tr", has_text="A100").count() == 1
    page.check("[name=hosts][value=host-few]")
    page.fill("[name=access]", "ssh a@203.0.113.9")
    with page.expect_navigation():
        page.locator("main form button.primary").last.click()
    walker.look()
    assert "host-few" in page.locator(".errors").inner_text() or re.search(
        r"\b1\b", page.locator(".errors").inner_text()
    )
    assert page.locator("[name=access]").input_value() == "ssh a@203.0.113.9", "nothing typed is lost"
    assert Order.objects.get(pk=order.pk).state == "paid"
    walker.axe()
    show("host-few", order.card, 2)
    page.check("[name=hosts][value=host-few]")
    with page.expect_navigation():
        page.locator("main form button.primary").last.click()
    walker.look()
    assert Order.objects.get(pk=order.pk).state == "delivered"


def test_a_fault_is_reported_and_the_time_down_credited(
    walker: Walker, deliver: Any, customer: User, staff: User
) -> None:
    with time_machine.travel("2027-02-01T10:00:00+00:00", tick=False):
        order = deliver(days=3)
    with time_machine.travel("2027-02-01T16:00:00+00:00", tick=True):
        page = walker.be(customer).go(f"/orders/{order.code}")
        page.locator("main .acts a[href$='/fault']").click()
        walker.look()
        page.fill("[name=text]", "nvidia-smi: No devices were found")
        page.fill("[name=since]", "2027-02-01T12:00")
        walker.axe()
        walker.targets()
        walker.press()
        report = FaultReport.objects.get()
        walker.be(staff, desk=True).go("/desk/")
        page.locator(f"a[href='/desk/faults/{report.pk}']").click()
        walker.look()
        page.fill("[name=begins]", "2027-02-01T12:00")
        page.fill("[name=ends]", "2027-02-01T15:00")
        page.locator("[name=reason]").first.fill("PSU")
        walker.axe()
        walker.press()
        credit = order.total_cents * 3 // 72
        assert balance_of(customer).cents == credit
        walker.be(customer).go(f"/orders/{order.code}")
        assert str(credit // 100) in page.locator("section", has_text="PSU").last.inner_text().replace("\u202f", "")
        walker.go(f"/orders/{order.code}/receipt")


def test_the_end_of_a_term(walker: Walker, deliver: Any, customer: User, staff: User) -> None:
    with time_machine.travel("2027-03-26T10:00:00+00:00", tick=False):
        order = deliver(days=3)
    with time_machine.travel(order.ends_at - timedelta(minutes=30), tick=True):
        page = walker.be(customer).go(f"/orders/{order.code}")
        walker.press("main form[action$='/access'] button")
        assert "203.0.113.7" in page.locator("main").inner_text()
    with time_machine.travel(order.ends_at + timedelta(seconds=1), tick=True):
        terms.end_due(timezone.now())
        walker.be(customer).go(f"/orders/{order.code}")
        assert page.locator("main form[action$='/access']").count() == 0
        assert page.locator("a[href*='/pilots/']").count() >= 1, "results and evidence are offered"
        walker.axe()
        walker.be(staff, desk=True).go("/desk/")
        host = order.hosts.get()
        page.locator(f"a[href='/desk/wipes/{host.pk}']").click()
        walker.look()
        page.check("[name=method][value=erase]")
        walker.targets()
        walker.press()
        assert Wipe.objects.get().host == host
        walker.be(customer).go(f"/orders/{order.code}")
        assert page.locator("section", has_text="host-1").count() >= 1
