"""Money that came in pays waiting orders; nothing else does."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import TestCase
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import ledger, payments, rates, receiving
from billing.models import Journal, PaymentRequest, Receipt
from common.refusals import Refusal
from rental import tasks
from rental.delivery import handover
from rental.desk import books
from rental.models import Letter, Order, User
from rental.orders import ordering
from tests.rental.conftest import show

Put = Callable[[User, int], None]
Place = Callable[..., Order]
numbers = itertools.count(1)


@pytest.fixture
def asking(db: None) -> None:
    """Example rates and addresses, so that payments can be asked for."""
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()


def ask(order: Order) -> PaymentRequest:
    return ordering.ask_payment(order, network="bitcoin", asset="BTC")


def arrive(request: PaymentRequest, units: int, by: User, *, confirmed: bool = True) -> Receipt:
    """Coins at the request's address, and what happens on commit."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        return payments.record_receipt(
            network=request.network,
            transaction=f"{next(numbers):064x}",
            output=0,
            address=request.address.address,
            amount=units,
            evidence="a block explorer",
            confirmed=confirmed,
            by=by,
        )


def state(order: Order) -> str:
    order.refresh_from_db()
    return str(order.state)


def test_a_notice_and_a_seen_receipt_pay_nothing(asking: None, place: Place, staff: User) -> None:
    order = place()
    request = ask(order)
    payments.note_paid(request)
    payments.note_paid(request)
    assert state(order) == "placed"
    receipt = arrive(request, request.due_units, staff, confirmed=False)
    assert state(order) == "placed"
    assert ledger.balance_of(order.customer).cents == 0
    with TestCase.captureOnCommitCallbacks(execute=True):
        payments.confirm(receipt, by=staff, evidence="confirmed twice over")
    assert state(order) == "paid"


def test_a_part_waits_as_balance_and_the_rest_pays_once(asking: None, place: Place, staff: User) -> None:
    order = place(card="b200", days=7, lots=2)
    request = ask(order)
    part = request.due_units // 3
    arrive(request, part, staff)
    assert state(order) == "placed"
    balance = ledger.balance_of(order.customer).cents
    assert 0 < balance < order.total_cents
    letter = Letter.objects.get(event__contains=":receipt:")
    assert "Still missing" in letter.text
    arrive(request, request.due_units - part, staff)
    assert state(order) == "paid"
    assert [move.new for move in order.moves.all()] == ["placed", "paid"]
    assert order.moves.last().actor is None  # type: ignore[union-attr]
    assert ledger.balance_of(order.customer).cents == 0
    arrive(request, request.due_units, staff)
    assert Journal.objects.filter(key=f"order:{order.code}:pay").count() == 1
    assert ledger.balance_of(order.customer).cents == order.total_cents


def test_the_oldest_covered_order_is_paid_first(asking: None, place: Place, put: Put, staff: User) -> None:
    old, young = place(), place()
    put(old.customer, old.total_cents)
    assert [order.pk for order in ordering.pay_waiting(old.customer)] == [old.pk]
    assert (state(old), state(young)) == ("paid", "placed")


def test_money_for_one_order_does_not_pay_a_younger_one(asking: None, place: Place, staff: User) -> None:
    old, young = place(card="b200", days=7), place(card="cpu")
    request = ask(old)
    arrive(request, request.due_units // 2, staff)
    assert (state(old), state(young)) == ("placed", "placed")
    arrive(request, request.due_units - request.due_units // 2, staff)
    assert (state(old), state(young)) == ("paid", "placed")


def test_an_abandoned_order_does_not_take_what_came_for_another(asking: None, place: Place, staff: User) -> None:
    abandoned, wanted = place(card="cpu"), place(card="h100")
    arrive(ask(wanted), ask(wanted).due_units, staff)
    assert (state(abandoned), state(wanted)) == ("placed", "paid")


def test_late_money_for_a_lapsed_order_is_balance(asking: None, place: Place, staff: User) -> None:
    order = place()
    request = ask(order)
    ordering.lapse_due(order.pay_until + timedelta(hours=3))
    assert state(order) == "lapsed"
    arrive(request, request.due_units, staff)
    assert state(order) == "lapsed"
    assert ledger.balance_of(order.customer).cents >= order.total_cents
    with pytest.raises(Refusal, match="wrong_state"):
        ask(order)


def test_an_address_given_and_money_seen_keep_an_order_past_its_deadline(
    asking: None, place: Place, staff: User
) -> None:
    bare, asked, seen = place(card="cpu"), place(card="cpu"), place(card="cpu")
    ask(asked)
    arrive(ask(seen), 1000, staff, confirmed=False)
    after = max(bare.pay_until, asked.pay_until, seen.pay_until)
    assert ordering.lapse_due(after) == 1
    assert (state(bare), state(asked), state(seen)) == ("lapsed", "placed", "placed")
    assert ordering.lapse_due(after + timedelta(hours=2)) == 1
    assert (state(asked), state(seen)) == ("lapsed", "placed")
    assert ordering.lapse_due(after + timedelta(hours=24)) == 1
    assert state(seen) == "lapsed"


def test_a_credit_that_nobody_heard_of_is_swept_up(asking: None, place: Place, staff: User) -> None:
    order = place()
    request = ask(order)
    with TestCase.captureOnCommitCallbacks(execute=False):  # the process ends before its on-commit work
        payments.record_receipt(
            network="bitcoin",
            transaction=f"{next(numbers):064x}",
            output=0,
            address=request.address.address,
            amount=request.due_units,
            evidence="a block explorer",
            confirmed=True,
            by=staff,
        )
    assert state(order) == "placed"
    assert tasks.pay_arrived(timezone.now()) == 1
    assert tasks.pay_arrived(timezone.now()) == 0
    assert state(order) == "paid"


ACTS = st.lists(
    st.tuples(
        st.sampled_from([
            "notice", "see", "confirm_part", "confirm_all", "adjust", "pay", "pay_if_covered", "pay_waiting", "cancel",
            "lapse", "refund", "prepare", "hand_over", "extend", "end", "sweep",
        ]),
        st.integers(0, 1),
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS)
def test_no_path_leads_to_paid_without_a_confirmed_receipt_or_a_balance_journal(
    asking: None, place: Place, put: Put, customer: User, staff: User, acts: list[tuple[str, int]]
) -> None:
    with transaction.atomic():
        orders = [place(card="cpu"), place(card="cpu", days=7, lots=2)]
        requests = [ask(order) for order in orders]
        show("host-p", orders[0].card, 1)
        for act, which in acts:
            try:
                with transaction.atomic():
                    do(act, orders[which], requests[which], put, staff)
            except Refusal:
                pass
            check(orders, customer)
        assert books.differences() == []
        transaction.set_rollback(True)


def do(act: str, order: Order, request: PaymentRequest, put: Put, staff: User) -> None:
    now = timezone.now()
    order.refresh_from_db()
    acts: dict[str, Callable[[], Any]] = {
        "notice": lambda: payments.note_paid(request),
        "see": lambda: arrive(request, request.due_units, staff, confirmed=False),
        "confirm_part": lambda: arrive(request, request.due_units // 2, staff),
        "confirm_all": lambda: arrive(request, request.due_units, staff),
        "adjust": lambda: put(order.customer, 5_00),
        "pay": lambda: ordering.pay_from_balance(order, order.customer),
        "pay_if_covered": lambda: ordering.pay_if_covered(order),
        "pay_waiting": lambda: ordering.pay_waiting(order.customer),
        "cancel": lambda: ordering.cancel(order, order.customer),
        "lapse": lambda: ordering.lapse_due(now + timedelta(days=2)),
        "refund": lambda: ordering.refund(order, staff, "property"),
        "prepare": lambda: handover.start_preparation(order, staff),
        "hand_over": lambda: handover.hand_over(order, hosts=["host-p"], access="x", by=staff),
        "extend": lambda: ordering.extend(order, order.customer),
        "end": lambda: ordering.end_due(now + timedelta(days=40)),
        "sweep": lambda: [task(now) for task in tasks.ALL],
    }
    acts[act]()


def check(orders: list[Order], customer: User) -> None:
    """Each paid order has its one journal, money came from somewhere, and its history follows the table."""
    for order in orders:
        order.refresh_from_db()
        moves = list(order.moves.all())
        charged = Journal.objects.filter(key=f"order:{order.code}:pay").count()
        assert charged == sum(move.new == "paid" for move in moves)
        assert charged == (order.state in ("paid", "preparing", "delivered", "ended", "refunded"))
        assert all(m.new in Order.MOVES[m.old] or m.code == "extended" for m in moves if m.old)
        assert [m.old for m in moves[1:]] == [m.new for m in moves[:-1]]
        assert moves[-1].new == order.state
    credited = sum(Receipt.objects.filter(state="confirmed").values_list("credited_cents", flat=True))
    adjusted = 5_00 * Journal.objects.filter(kind="adjust").count()
    kept = {"charge": -1, "refund": 1}
    spent = sum(
        kept[journal.kind] * max(posting.cents for posting in journal.postings.all())
        for journal in Journal.objects.filter(kind__in=kept).prefetch_related("postings")
    )
    assert ledger.balance_of(customer).cents == credited + adjusted + spent >= 0
