"""Faults in a term: the customer reports one, an operator answers, and the time down is credited."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import ledger
from common.refusals import Refusal
from rental.letters import care
from rental.models import Downtime, FaultReport, Order, User
from rental.orders import downtime
from rental.orders.downtime import Period
from rental.orders.moves import lock, wrong_state

TEXT_LENGTH = 2_000


def report(order: Order, by: User, *, text: str, since: datetime) -> FaultReport:
    """The customer says that the machine does not work. One report is open at a time; pressed twice it is one.

    Raises:
        Refusal: `wrong_state`, `term_over`, `text_missing`, `since_outside` (422), `fault_open`.
    """
    text = text.replace("\0", "").strip()
    if not text or len(text) > TEXT_LENGTH:
        sentence = _("Say in at most 2,000 characters what does not work.")
        raise Refusal("text_missing", sentence, status=422, field="text")
    now = timezone.now()
    try:
        with transaction.atomic():
            order = lock(order)
            if order.state != Order.State.DELIVERED or order.delivered_at is None:
                raise wrong_state(order)
            if not order.delivered_at <= since <= now:
                sentence = _("Enter a time between the handover and now.")
                raise Refusal("since_outside", sentence, status=422, field="since")
            row = FaultReport.objects.create(order=order, text=text, since=since, reported_at=now, reported_by=by)
            care.fault_received(order, row)
            return row
    except IntegrityError:
        return _same_or_refuse(order, text)


def _same_or_refuse(order: Order, text: str) -> FaultReport:
    known = order.faults.filter(state=FaultReport.State.OPEN).first()
    if known is None or known.text != text:
        sentence = _("A fault of this order is already being looked at. Wait for the answer before you report another.")
        raise Refusal("fault_open", sentence)
    return known


def confirm(found: FaultReport, by: User, *, begins: datetime, ends: datetime, lots: int, reason: str) -> Downtime:
    """The operator found the machine down from `begins` to `ends`: the credit is posted in the same transaction."""
    with transaction.atomic():
        order = lock(found.order)
        found = _answer(found, FaultReport.State.CONFIRMED, by, reason)
        return _record(order, found, by, begins=begins, ends=ends, lots=lots, reason=reason)


def would_credit(order: Order, *, begins: datetime, ends: datetime, lots: int) -> int:
    """What this time down would add to what was credited for the order, in cents. Writes nothing."""
    known = list(order.downtimes.all())
    return downtime.credit_cents(
        order.unit_price_cents,
        order.term,
        [Period(row.begins, row.ends, row.lots) for row in known],
        Period(begins, ends, lots),
        credited=sum(row.cents for row in known),
        charged=order.total_cents * (1 + order.extensions.count()),
    )


def refuse(found: FaultReport, by: User, *, reason: str) -> FaultReport:
    """The operator did not find the fault. The reason is the customer's to read."""
    with transaction.atomic():
        order = lock(found.order)
        found = _answer(found, FaultReport.State.REFUSED, by, reason)
        care.fault_refused(order, found)
        return found


def record(order: Order, by: User, *, begins: datetime, ends: datetime, lots: int, reason: str) -> Downtime:
    """An operator saw it first: time down that nobody reported."""
    with transaction.atomic():
        return _record(lock(order), None, by, begins=begins, ends=ends, lots=lots, reason=reason)


def _answer(found: FaultReport, state: FaultReport.State, by: User, reason: str) -> FaultReport:
    if not reason.strip():
        raise Refusal("reason_missing", _("Say what you found."), status=422, field="reason")
    hit = FaultReport.objects.filter(pk=found.pk, state=FaultReport.State.OPEN).update(
        state=state, answer=reason.strip(), answered_at=timezone.now(), answered_by=by
    )
    found.refresh_from_db()
    if not hit:
        raise Refusal("fault_answered", _("This report was answered already. Nothing was changed."))
    return found


def _record(
    order: Order, found: FaultReport | None, by: User, *, begins: datetime, ends: datetime, lots: int, reason: str
) -> Downtime:
    if order.delivered_at is None or order.ends_at is None:
        raise wrong_state(order)
    if not reason.strip():
        raise Refusal("reason_missing", _("Say what you found."), status=422, field="reason")
    last = min(timezone.now(), order.ended_at or order.ends_at)
    if not order.delivered_at <= begins < ends <= last:
        sentence = _("The time down lies inside the term and is over: from the handover to now at most.")
        raise Refusal("period_outside", sentence, status=422, field="begins")
    if not 1 <= lots <= order.lots:
        which = _("Enter how many of the order’s lots were down: from 1 to %(lots)d.") % {"lots": order.lots}
        raise Refusal("wrong_lots", which, status=422, field="lots")
    cents = would_credit(order, begins=begins, ends=ends, lots=lots)
    row = Downtime.objects.create(
        order=order, report=found, begins=begins, ends=ends, lots=lots, cents=cents, reason=reason.strip(), by=by
    )
    if cents:
        ledger.refund(order.customer, cents, key=row.key, reference=order.code, by=by, reason=reason.strip())
    care.downtime_credited(order, row)
    return row
