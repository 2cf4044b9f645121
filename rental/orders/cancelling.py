"""Giving an order up: by its customer within the rules, or by an operator who refunds it with a reason."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import ledger, payments
from common.formats import when
from common.refusals import Refusal
from rental.letters import emails, given_up
from rental.models import MoveCode, Order, User
from rental.orders import rules
from rental.orders.moves import lock, move, wrong_state

# What the ledger's own line says; its readers know the order's code from the line's reference.
BY_CUSTOMER = "cancelled by its customer"


def cancel(order: Order, by: User, reason: str = "", *, seen_state: str | None = None) -> Order:
    """Give up an order. Unpaid: nothing was charged. Paid: its whole price goes back to the balance in the same moment.

    An unpaid order's address stays watched; money that still comes is credited to the balance. Pressed twice, once.

    Args:
        seen_state: the state the customer was shown. Money may have come, or a preparation begun, meanwhile.

    Raises:
        Refusal: `state_changed`; `wrong_state` (with `cancellable_from` while it is being prepared in time).
    """
    with transaction.atomic():
        order = lock(order)
        if order.state in (Order.State.CANCELLED, Order.State.REFUNDED):
            return order
        now = timezone.now()
        _check(order, now, seen_state)
        if order.state == Order.State.PLACED:
            give_up(order, MoveCode.CANCELLED, now, by, reason)
            emails.order_cancelled(order)
        else:
            _give_back(order, MoveCode.CANCELLED_PAID, now, by, reason, BY_CUSTOMER)
            given_up.cancelled_paid(order)
        return order


def give_up(order: Order, code: MoveCode, now: datetime, by: User, note: str = "") -> None:
    """Cancel a locked, unpaid order and ask for its money no more."""
    move(order, Order.State.CANCELLED, code=code, at=now, by=by, note=note)
    payments.close(order.code)


def refund(order: Order, by: User, reason: str) -> Order:
    """Give the whole price of a paid order that is not handed over back to the balance; an operator's act.

    Raises:
        Refusal: `reason_missing` (422); `wrong_state` unless the order is paid and not handed over.
    """
    if not reason.strip():
        raise Refusal("reason_missing", _("Write the reason of the refund."), status=422, field="reason")
    with transaction.atomic():
        order = lock(order)
        _give_back(order, MoveCode.REFUNDED, timezone.now(), by, reason, reason)
        emails.order_refunded(order)
        return order


def _check(order: Order, now: datetime, seen_state: str | None) -> None:
    if not rules.may_cancel(order, now):
        raise _too_early(order) if order.state == Order.State.PREPARING else wrong_state(order)
    if seen_state is not None and seen_state != order.state:
        sentence = _("Its state changed while you looked. Read again what would happen; nothing was cancelled.")
        raise Refusal("state_changed", sentence, data={"state": str(order.state)})


def _too_early(order: Order) -> Refusal:
    at = rules.cancellable_from(order)
    sentence = _("It is being prepared for you. You can cancel it from %(at)s on, if it is not handed over by then.")
    data = {"state": str(order.state), "cancellable_from": at.isoformat() if at else None}
    return Refusal("wrong_state", sentence % {"at": when(at) if at else "–"}, data=data)


def _give_back(order: Order, code: MoveCode, now: datetime, by: User, note: str, reason: str) -> None:
    move(order, Order.State.REFUNDED, code=code, at=now, by=by, note=note)
    key = f"order:{order.code}:refund"
    ledger.refund(order.customer, order.total_cents, key=key, reference=order.code, by=by, reason=reason)
