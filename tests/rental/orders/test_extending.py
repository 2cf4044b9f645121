"""Extension of a running term: several times, to the second, from the balance only, and never of withdrawn stock."""

import itertools
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing import ledger
from common.formats import when
from common.refusals import Refusal
from rental.delivery import handover
from rental.models import Card, Letter, User
from rental.orders import ordering, terms
from tests.rental.conftest import Place, show
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db


def test_a_short_balance_is_told_what_is_missing_and_how_to_top_up(deliver: Place, put: Any, customer: User) -> None:
    order, client = deliver(), signed_in(customer)
    put(customer, 100_00)
    words = text_of(client.get(f"/orders/{order.code}/extend"))
    assert "Missing: 140.00 USD. Nothing is charged now." in words
    assert "To top it up" in words
    with pytest.raises(Refusal) as caught:
        ordering.extend(order, customer)
    assert caught.value.data == {"balance_cents": 100_00, "needed_cents": 240_00}


@pytest.mark.parametrize("withdrawal", [{"on_sale": False}, {"lots": 0}])
def test_withdrawn_stock_is_not_extended_and_nothing_is_charged(
    withdrawal: dict[str, Any], deliver: Place, put: Any, customer: User
) -> None:
    order, client = deliver(), signed_in(customer)
    put(customer, 500_00)
    Card.objects.filter(pk=order.card_id).update(**withdrawal)
    page = client.get(f"/orders/{order.code}/extend")
    assert "taken out of stock" in text_of(page)
    assert "Extend the term –" not in text_of(page)
    with pytest.raises(Refusal) as caught:
        ordering.extend(order, customer)
    assert caught.value.code == "no_stock"
    assert ledger.balance_of(customer).cents == 500_00


def test_another_customers_change_in_hand_stops_no_extension(deliver: Place, place: Place, put: Any) -> None:
    order = deliver()
    put(order.customer, 500_00)
    Card.objects.filter(pk=order.card_id).update(lots=2)
    waiting = place()
    ordering.quote(order.customer, card="h100", days=7, lots=1, preparation="ubuntu", changes=waiting)
    assert ordering.extend(order, order.customer).extensions.count() == 1


def test_a_late_term_extended_twice_ends_and_reminds_at_the_second(
    place: Place, put: Any, customer: User, staff: User
) -> None:
    order = place()
    put(customer, order.total_cents * 3)
    order = ordering.pay_from_balance(order, customer)
    assert order.promised_at is not None
    began = order.promised_at + timedelta(hours=2)
    with time_machine.travel(began, tick=False):
        show("host-1", order.card, 1)
        order = handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
        for _time in range(2):
            order = ordering.extend(order, customer)
    end = began + timedelta(hours=72 * 3 + 2)
    assert order.ends_at == end
    assert order.term_began == end - timedelta(hours=72)
    for hours, letters in ((72, 0), (24, 1), (1, 2)):
        assert terms.remind_due(end - timedelta(hours=hours, seconds=1)) == 0
        terms.remind_due(end - timedelta(hours=hours))
        assert Letter.objects.filter(event__contains=":ending:").count() == letters, hours
    assert terms.end_due(end - timedelta(seconds=1)) == 0
    assert terms.end_due(end) == 1


def test_a_first_term_with_late_hours_is_reminded_three_days_before(
    place: Place, put: Any, customer: User, staff: User
) -> None:
    order = place()
    put(customer, order.total_cents)
    order = ordering.pay_from_balance(order, customer)
    assert order.promised_at is not None
    with time_machine.travel(order.promised_at + timedelta(hours=5), tick=False):
        show("host-1", order.card, 1)
        order = handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
    assert order.ends_at is not None
    assert terms.remind_due(order.ends_at - timedelta(hours=72, seconds=1)) == 0
    assert terms.remind_due(order.ends_at - timedelta(hours=72)) == 1
    assert timezone.now() < order.ends_at


def test_each_extension_is_told_with_its_ends_and_its_price(deliver: Place, put: Any, customer: User) -> None:
    order = deliver()
    put(customer, 500_00)
    ends = [order.ends_at]
    for _time in range(2):
        order = ordering.extend(order, customer)
        ends.append(order.ends_at)
    words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
    for old, new in itertools.pairwise(ends):
        assert old is not None
        assert new is not None
        said = f"The term ends {when(new)} instead of {when(old)}, for 240.00 USD."
        assert said.replace("\u00a0", " ") in words
