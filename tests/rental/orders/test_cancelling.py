"""Giving an order up: who may, until when to the second, and where the whole price goes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing import ledger
from billing.models import Journal
from common.refusals import Refusal
from rental.catalogue import stock
from rental.delivery import handover
from rental.desk import books
from rental.models import Letter, MoveCode, Order, OrderMove, User
from rental.orders import ordering, rules
from tests.rental.conftest import Place, show
from tests.rental.pages import at_desk, hidden, signed_in, text_of

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def paid(place: Place, put: Callable[[User, int], None]) -> Place:
    def act(**choices: Any) -> Order:
        order = place(**choices)
        put(order.customer, order.total_cents)
        return ordering.pay_from_balance(order, order.customer)

    return act


def cents(user: User) -> int:
    return ledger.balance_of(user).cents


def refused(act: Callable[[], Any]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


def test_a_customer_cancels_a_paid_order_and_has_all_of_it_back_at_once(paid: Place, customer: User) -> None:
    order = paid(lots=2)
    free = stock.free_lots(order.card, timezone.now())
    for _press in range(3):
        order = ordering.cancel(order, customer, "wrong card")
    assert order.state == Order.State.REFUNDED
    assert cents(customer) == order.total_cents
    assert stock.free_lots(order.card, timezone.now()) == free + 2
    move = OrderMove.objects.get(code=MoveCode.CANCELLED_PAID)
    assert (move.old, move.new, move.actor, move.note) == ("paid", "refunded", customer, "wrong card")
    assert Journal.objects.filter(reference=order.code, kind="refund").count() == 1
    assert Letter.objects.get(event=f"order:{order.code}:cancelled-paid").text.count("480.00")
    assert books.differences() == []


def test_once_it_is_being_prepared_only_a_long_delay_lets_the_customer_cancel(
    paid: Place, customer: User, staff: User
) -> None:
    order = handover.start_preparation(paid(), staff)
    assert order.promised_at is not None
    from_then = order.promised_at + timedelta(hours=rules.late_cancel_hours())
    error = refused(lambda: ordering.cancel(order, customer))
    assert (error.code, error.data["cancellable_from"]) == ("wrong_state", from_then.isoformat())
    with time_machine.travel(from_then - SECOND, tick=False):
        assert refused(lambda: ordering.cancel(order, customer)).code == "wrong_state"
        assert "Cancel this order" not in text_of(signed_in(customer).get(f"/orders/{order.code}"))
    assert cents(customer) == 0
    with time_machine.travel(from_then, tick=False):
        assert "Cancel this order" in text_of(signed_in(customer).get(f"/orders/{order.code}"))
        assert ordering.cancel(order, customer).state == Order.State.REFUNDED
    assert cents(customer) == order.total_cents


def test_what_is_handed_over_is_neither_cancelled_nor_refunded(deliver: Place, customer: User, staff: User) -> None:
    order = deliver()
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert refused(lambda: ordering.cancel(order, customer)).code == "wrong_state"
        assert refused(lambda: ordering.refund(order, staff, "sorry")).code == "wrong_state"
    assert cents(customer) == 0


@pytest.mark.parametrize("preparing", [False, True])
def test_an_operator_refunds_with_a_reason_until_the_handover(
    preparing: bool, paid: Place, customer: User, staff: User
) -> None:
    order = paid()
    if preparing:
        handover.start_preparation(order, staff)
    assert refused(lambda: ordering.refund(order, staff, " ")).code == "reason_missing"
    page = at_desk(staff).get(f"/desk/orders/{order.code}/refund")
    assert "Refund 240.00 USD to the balance" in text_of(page)
    ordering.refund(order, staff, "no machine to give")
    assert refused(lambda: ordering.refund(order, staff, "twice")).code == "wrong_state"
    assert cents(customer) == order.total_cents
    move = OrderMove.objects.get(code=MoveCode.REFUNDED)
    old = "preparing" if preparing else "paid"
    assert (move.actor, move.note, move.old, move.new) == (staff, "no machine to give", old, "refunded")


def test_the_page_says_what_happens_to_the_money_before_and_after(paid: Place, put: Any, customer: User) -> None:
    order, client = paid(), signed_in(customer)
    put(customer, 10_00)
    address = f"/orders/{order.code}/cancel"
    page = client.get(address)
    words = text_of(page)
    assert "Your balance now 10.00 USD" in words
    assert "Your balance after it 250.00 USD" in words
    assert f"Cancel order {order.code} – 240.00 USD back" in words
    form = {"seen_state": hidden(page, "seen_state"), "reason": "later"}
    for _press in range(2):
        assert client.post(address, form)["Location"] == f"/orders/{order.code}"
    assert cents(customer) == 250_00
    words = text_of(client.get(f"/orders/{order.code}"))
    assert "Its whole price is back in your balance" in words
    assert "later" in words
    assert client.get(address).status_code == 302


def test_a_page_that_was_overtaken_by_the_payment_cancels_nothing(place: Place, put: Any, customer: User) -> None:
    order, client = place(), signed_in(customer)
    address = f"/orders/{order.code}/cancel"
    form = {"seen_state": hidden(client.get(address), "seen_state")}
    put(customer, order.total_cents)
    ordering.pay_from_balance(order, customer)
    answer = client.post(address, form)
    assert answer.status_code == 409
    assert "Its state changed while you looked" in text_of(answer)
    assert "240.00 USD goes back to your balance at once" in text_of(answer)
    order.refresh_from_db()
    assert order.state == "paid"


def test_the_rules_are_the_same_on_every_page_that_states_them(place: Place, customer: User) -> None:
    client, order = signed_in(customer), place()
    quote = ordering.quote(customer, card="h100", days=3, lots=1, preparation="ubuntu")
    for address in (f"/rent/check/{quote.pk}", "/terms/", f"/orders/{order.code}"):
        words = text_of(client.get(address))
        for rule in rules.of_order():
            assert f"{rule.when} {rule.what}" in words, (address, rule)


def test_a_late_delivery_adds_each_started_hour_and_says_so(paid: Place, customer: User, staff: User) -> None:
    order = paid()
    assert order.promised_at is not None
    show("host-1", order.card, 1)
    at = order.promised_at + timedelta(hours=4, seconds=1)
    with time_machine.travel(at, tick=False):
        show("host-1", order.card, 1)
        assert "Each started hour of delay adds one hour" in text_of(signed_in(customer).get(f"/orders/{order.code}"))
        order = handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
        assert order.late_hours == 5
        assert order.ends_at == at + timedelta(hours=72 + 5)
        assert order.term_began == at
        words = text_of(signed_in(customer).get(f"/orders/{order.code}"))
        assert "5 started hours late" in words
        assert "5 hours, at no charge" in words
    letter = Letter.objects.get(event=f"order:{order.code}:late-hours")
    assert "5 hours" in letter.subject
    assert [move.code for move in order.moves.all()][-2:] == ["handed_over", "late_hours"]
    assert books.differences() == []


@pytest.mark.parametrize(("late", "hours"), [(timedelta(0), 0), (SECOND, 1), (timedelta(hours=1), 1)])
def test_lateness_is_counted_to_the_second(late: timedelta, hours: int, paid: Place, staff: User) -> None:
    order = paid()
    assert order.promised_at is not None
    with time_machine.travel(order.promised_at + late, tick=False):
        show("host-1", order.card, 1)
        order = handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
    assert order.delivered_at is not None
    assert order.late_hours == hours
    assert order.ends_at == order.delivered_at + timedelta(hours=72 + hours)
    assert Letter.objects.filter(event__endswith=":late-hours").exists() is bool(hours)
