"""The two-person rule: above a sum one operator asks and another does, or refuses, an act on a customer's balance."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from billing import ledger
from common.refusals import Refusal
from rental.delivery import faults
from rental.letters import staff
from rental.models import Approval, FaultReport, Order, User
from rental.orders import cancelling

WAITS = timedelta(days=7)
# The largest single correction of a balance, whoever agrees to it: a slip of the keyboard is not a sum of the house.
LARGEST_CENTS = 1_000_000_00


def needed(cents: int) -> bool:
    """Whether this sum wants two operators."""
    return bool(abs(cents) > settings.TWO_PERSON_CENTS)


def adjust(customer: User, cents: int, by: User, *, reason: str, key: str) -> Approval | None:
    """Correct a balance, or ask a second operator to.

    Raises: Refusal `adjust_too_large` (422), and the ledger's own.
    """
    if abs(cents) > LARGEST_CENTS:
        sentence = _("One adjustment changes a balance by 1,000,000.00 USD at most.")
        raise Refusal("adjust_too_large", sentence, status=422, field="amount")
    if needed(cents):
        payload = {"customer": customer.pk, "cents": cents, "key": key}
        return _ask(Approval.Kind.ADJUST, customer.email, payload, cents, by, reason, key)
    ledger.adjust(customer, cents, key=key, by=by, reason=reason)
    return None


def refund(order: Order, by: User, *, reason: str) -> Approval | None:
    """Give a paid, undelivered order's price back, or ask a second operator to."""
    if needed(order.total_cents) and order.state in (Order.State.PAID, Order.State.PREPARING):
        payload = {"order": order.pk}
        key = f"refund:{order.code}"
        return _ask(Approval.Kind.REFUND, order.code, payload, order.total_cents, by, reason, key)
    cancelling.refund(order, by, reason)
    return None


def downtime(
    order: Order, report: FaultReport | None, by: User, *, begins: datetime, ends: datetime, lots: int, reason: str
) -> Approval | None:
    """Credit time down, or ask a second operator to. `report` is the customer's, if there is one."""
    cents = faults.would_credit(order, begins=begins, ends=ends, lots=lots)
    if needed(cents):
        payload = {
            "order": order.pk,
            "report": report.pk if report else None,
            "begins": begins.isoformat(),
            "ends": ends.isoformat(),
            "lots": lots,
        }
        key = f"downtime:{order.code}:{begins.isoformat()}:{ends.isoformat()}:{lots}"
        return _ask(Approval.Kind.DOWNTIME, order.code, payload, cents, by, reason, key)
    _credit(order, report, by, begins=begins, ends=ends, lots=lots, reason=reason)
    return None


def _credit(order: Order, report: FaultReport | None, by: User, **facts: Any) -> None:
    if report is None:
        faults.record(order, by, **facts)
    else:
        faults.confirm(report, by, **facts)


def _ask(
    kind: Approval.Kind, about: str, payload: dict[str, Any], cents: int, by: User, reason: str, key: str
) -> Approval:
    if not reason.strip():
        raise Refusal("reason_missing", _("Write the reason."), status=422, field="reason")
    now = timezone.now()
    facts = {"kind": kind, "about": about, "payload": payload, "cents": cents, "reason": reason.strip()}
    same = Approval.objects.filter(key=key[:120], state=Approval.State.WAITING)
    same.filter(expires_at__lte=now).update(state=Approval.State.EXPIRED)
    try:
        with transaction.atomic():
            row = Approval.objects.create(**facts, key=key[:120], asked_by=by, asked_at=now, expires_at=now + WAITS)
            for reader in User.objects.filter(is_staff=True, is_active=True).exclude(pk=by.pk):
                staff.approval_asked(row, reader)
            return row
    except IntegrityError:
        return same.get()  # one form sent many times asks once


def approve(row: Approval, by: User) -> Approval:
    """A second operator agrees: the act is done now, once, in both names.

    Raises: Refusal `same_person` (403), `not_waiting`; the act's own, and then it goes on waiting.
    """
    with transaction.atomic():
        row = _answer(row, Approval.State.DONE, by, "")
        reason = _("%(reason)s (asked by %(who)s)") % {"reason": row.reason, "who": row.asked_by.email}
        ACTS[row.kind](row, by, reason)
        return row


def refuse(row: Approval, by: User, reason: str) -> Approval:
    """A second operator does not agree; whoever asked is told nothing but by the desk's own page."""
    if not reason.strip():
        raise Refusal("reason_missing", _("Write the reason."), status=422, field="reason")
    with transaction.atomic():
        return _answer(row, Approval.State.REFUSED, by, reason.strip())


def _answer(row: Approval, state: Approval.State, by: User, answer: str) -> Approval:
    if row.asked_by_id == by.pk:
        raise Refusal("same_person", _("You asked for it: another operator must answer."), status=403)
    now = timezone.now()
    hit = (
        Approval.objects.waiting(now)
        .filter(pk=row.pk)
        .update(state=state, answered_by=by, answered_at=now, answer=answer)
    )
    row = Approval.objects.select_related("asked_by", "answered_by").get(pk=row.pk)
    if not hit:
        raise Refusal("not_waiting", _("This does not wait for a second operator any more."))
    return row


def _do_adjust(row: Approval, by: User, reason: str) -> None:
    customer = User.objects.get(pk=row.payload["customer"])
    ledger.adjust(customer, row.payload["cents"], key=row.payload["key"], by=by, reason=reason)


def _do_refund(row: Approval, by: User, reason: str) -> None:
    # The reason is the customer's to read: without the operators' names.
    cancelling.refund(Order.objects.get(pk=row.payload["order"]), by, row.reason)


def _do_downtime(row: Approval, by: User, reason: str) -> None:
    facts = row.payload
    order = Order.objects.select_related("card", "customer").get(pk=facts["order"])
    report = FaultReport.objects.get(pk=facts["report"]) if facts["report"] else None
    begins, ends = parse_datetime(facts["begins"]), parse_datetime(facts["ends"])
    _credit(order, report, by, begins=begins, ends=ends, lots=facts["lots"], reason=row.reason)


ACTS: dict[str, Callable[[Approval, User, str], None]] = {
    Approval.Kind.ADJUST: _do_adjust,
    Approval.Kind.REFUND: _do_refund,
    Approval.Kind.DOWNTIME: _do_downtime,
}
