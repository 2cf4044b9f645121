"""The dispatcher's second: what went silent is given up, what waits is offered to its host."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F, Q, QuerySet

from pilots import courier
from pilots.models import Host, Run
from pilots.runs import moves
from pilots.runs.reporting import close_files
from rental.models import Order

log = logging.getLogger(__name__)
MOST = 200  # runs in one turn
Stage = Run.Stage


def dispatch_due(now: datetime, wake: Callable[[str, str, int], bool] = courier.wake) -> int:
    """One turn; answers how many offers were made. Several dispatchers may run at once."""
    give_up_silent(now)
    end_waiting(now)
    stop_ended_terms(now)
    offered = _mark(now)
    for host, ref, attempt in offered:
        # After the commit: a message is never about a run that another process cannot see yet.
        wake(host, ref, attempt)
    return len(offered)


def give_up_silent(now: datetime) -> int:
    """A lease that ran out ends its attempt: the next one is queued, or the run is lost after the last."""
    due = Run.objects.filter(outcome="", stage__in=moves.LIVE, lease_until__lt=now)
    if not due.exists():
        return 0
    with transaction.atomic():
        runs = list(_held(due.order_by("lease_until"))[:MOST])
        for run in runs:
            _give_up(run, now)
    return len(runs)


def _give_up(run: Run, now: datetime) -> None:
    if run.cancel_asked_at is not None:
        close_files(run)
        moves.end(run, Run.Outcome.CANCELLED, reason="cancelled_by_customer", fault=None, at=now)
    elif run.attempt >= settings.ATTEMPTS:
        close_files(run)
        moves.end(run, Run.Outcome.LOST, reason="silent", fault="host", at=now)
    else:
        moves.move(
            run, Stage.QUEUED, code="lease_ran_out", at=now, data={"last_report_at": str(run.last_report_at)},
            attempt=run.attempt + 1, offered_at=None, lease_until=None,
        )  # fmt: skip


def end_waiting(now: datetime) -> int:
    """Queued runs that no host will take any more: asked to stop, host revoked or silent for good, term over."""
    waiting = Run.objects.filter(outcome="", stage=Stage.QUEUED).exclude(_may_be_offered(now))
    if not waiting.exists():
        return 0
    with transaction.atomic():
        runs = list(_held(waiting.select_related("host", "pilot__order"))[:MOST])
        for run in runs:
            outcome, reason, fault = _why(run)
            close_files(run)
            moves.end(run, outcome, reason=reason, fault=fault, at=now)
    return len(runs)


def stop_ended_terms(now: datetime) -> int:
    """A run that still computes when its order's term is over is asked to stop."""
    late = Run.objects.filter(outcome="", stage__in=moves.LIVE, cancel_asked_at__isnull=True).exclude(_served())
    if not late.exists():
        return 0
    with transaction.atomic():
        runs = list(_held(late)[:MOST])
        for run in runs:
            Run.objects.filter(pk=run.pk).update(cancel_asked_at=now)
            moves.record(run, old=run.stage, new=run.stage, code="term_ended", at=now)
    return len(runs)


def _may_be_offered(now: datetime) -> Q:
    silent = now - timedelta(seconds=settings.LOST_SECONDS)
    heard = Q(host__last_seen_at__gte=silent) | Q(last_report_at__isnull=True)
    return Q(cancel_asked_at__isnull=True, host__revoked_at__isnull=True) & _served() & heard


def _served() -> Q:
    return Q(pilot__order__isnull=True) | Q(pilot__order__state=Order.State.DELIVERED)


def _why(run: Run) -> tuple[str, str, str | None]:
    if run.cancel_asked_at is not None:
        return Run.Outcome.CANCELLED, "cancelled_by_customer", None
    if run.host.revoked_at is not None:
        return Run.Outcome.LOST, "host_revoked", "host"
    if run.pilot.order is not None and run.pilot.order.state != Order.State.DELIVERED:
        return Run.Outcome.CANCELLED, "term_ended", None
    return Run.Outcome.LOST, "silent", "host"


def _mark(now: datetime) -> list[tuple[str, str, int]]:
    """Choose and mark the offers of this turn; at most as many a host as it has free slots."""
    again = now - timedelta(seconds=settings.OFFER_SECONDS)
    open_runs = Count("runs", filter=Q(runs__outcome="", runs__stage__in=moves.LIVE))
    free: dict[int, int] = {}
    due = Run.objects.filter(Q(offered_at__isnull=True) | Q(offered_at__lt=again), outcome="", stage=Stage.QUEUED)
    # Looked at before locking: most turns find nothing, and SQLite's write lock is for those that write.
    if not due.exists():
        return []
    with transaction.atomic():
        runs = list(_held(due.select_related("host").order_by("queued_at", "pk"))[:MOST])
        hosts = {run.host_id for run in runs}
        for pk, slots, taken in (
            Host.objects.filter(pk__in=hosts).annotate(taken=open_runs).values_list("pk", "slots", "taken")
        ):
            free[pk] = slots - taken
        chosen = []
        for run in runs:
            if free[run.host_id] > 0:
                free[run.host_id] -= 1
                chosen.append(run)
        Run.objects.filter(pk__in=[run.pk for run in chosen]).update(offered_at=now, offers=F("offers") + 1)
    return [(run.host.name, run.ref, run.attempt) for run in chosen]


def _held(rows: "QuerySet[Run]") -> "QuerySet[Run]":
    """Locked for this turn; rows that another dispatcher holds are left to it."""
    skip = connection.features.has_select_for_update_skip_locked
    return rows.select_for_update(of=("self",), skip_locked=skip)
