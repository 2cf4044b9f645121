"""Every move a run may make, and the one way to make it: compare-and-set, with a row that says what happened."""

from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots.host import wire
from pilots.models import Run, RunEvent
from rental.models import User

Stage = Run.Stage
# Stages that a host may report, in their order; it goes forward only.
TOLD: tuple[str, ...] = tuple(stage for stage in wire.STAGES if stage not in ("queued", "claimed", "verified"))
ORDER: dict[str, int] = {stage: number for number, stage in enumerate(wire.STAGES)}
LIVE: tuple[str, ...] = wire.STAGES[1:-1]  # a host has it

# What is not here cannot happen. Any live stage may fall back to `queued` when a lease runs out.
MOVES: dict[str, tuple[str, ...]] = {
    Stage.QUEUED: (Stage.CLAIMED, *TOLD),  # a later one: a silent attempt that came back before the next was claimed
    **{stage: (*wire.STAGES[ORDER[stage] + 1 : -1], Stage.QUEUED) for stage in LIVE[:-1]},
    Stage.COLLECTING: (Stage.QUEUED, Stage.VERIFIED),
    Stage.VERIFIED: (),
}
# Ends, from any stage but `verified`; each once.
OUTCOMES: tuple[str, ...] = ("completed", "failed", "cancelled", "lost", "refused")


def move(
    run: Run,
    new: str,
    *,
    code: str,
    at: datetime | None = None,
    by: User | None = None,
    data: dict[str, Any] | None = None,
    **fields: Any,
) -> bool:
    """Move a run that is where `run` says it is; False when another was first. `run` shows the new state after."""
    if new not in MOVES[run.stage]:
        return False
    now = at or timezone.now()
    here = Run.objects.filter(pk=run.pk, stage=run.stage, attempt=run.attempt, outcome="")
    if not here.update(stage=new, **fields):
        return False
    record(run, old=run.stage, new=new, code=code, at=now, by=by, data=data)
    run.refresh_from_db()
    return True


def end(
    run: Run,
    outcome: str,
    *,
    reason: str,
    fault: str | None,
    at: datetime | None = None,
    by: User | None = None,
    data: dict[str, Any] | None = None,
    **fields: Any,
) -> bool:
    """Give a run its outcome, once and for ever; False when it had one."""
    now = at or timezone.now()
    fields = {
        "outcome": outcome,
        "reason": reason,
        "fault": fault or "",
        "ended_at": now,
        "lease_until": None,
        **fields,
    }
    if not Run.objects.filter(pk=run.pk, outcome="", attempt=run.attempt).update(**fields):
        return False
    record(run, old=run.stage, new=outcome, code=reason, at=now, by=by, data=data)
    run.refresh_from_db()
    return True


def record(
    run: Run,
    *,
    old: str,
    new: str,
    code: str,
    at: datetime,
    by: User | None = None,
    data: dict[str, Any] | None = None,
) -> RunEvent:
    return RunEvent.objects.create(
        run=run,
        kind=RunEvent.Kind.MOVE,
        attempt=run.attempt,
        old=old,
        new=new,
        code=code,
        at=at,
        by=by,
        data=data or {},
    )


def counted(run: Run, **more: int) -> None:
    """Add to the running account of a run."""
    Run.objects.filter(pk=run.pk).update(**{name: F(name) + count for name, count in more.items() if count})


def locked(run_pk: int) -> Run:
    """The run, held until the transaction ends. SQLite's IMMEDIATE transaction holds the whole file already."""
    return Run.objects.select_for_update(of=("self",)).select_related("pilot", "host").get(pk=run_pk)


def stale(held: dict[str, int] | None = None) -> Refusal:
    """The host is no longer this run's: it must stop, end the program and keep its files."""
    return Refusal(
        "stale",
        _("This attempt is over. Stop, end the program and keep its files."),
        data={} if held is None else {"held": held},
    )
