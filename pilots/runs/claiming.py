"""A host takes a run: the claim, its key and number, and what earlier attempts leave to the new one."""

import hashlib
import hmac
import json
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.http import Http404
from django.utils import timezone

from pilots.host import wire
from pilots.models import Host, Item, Metric, Run, RunFile
from pilots.models.host import hash_token
from pilots.runs import moves
from pilots.runs.starting import missing_ids, takes_remaining


def claim(host: Host, ref: str, attempt: int, claim_id: str) -> wire.Claim:
    """Queued and the same attempt becomes claimed; the same claim again gets the same answer.

    Raises:
        Http404: no such run on this host. Refusal: `stale` for any other claim or attempt.
    """
    now = timezone.now()
    with transaction.atomic():
        found = Run.objects.filter(ref=ref, host=host).values_list("pk", flat=True).first()
        if found is None:
            raise Http404
        run = moves.locked(found)
        if run.outcome or run.attempt != attempt:
            raise moves.stale()
        if run.stage == Run.Stage.QUEUED:
            _begin(run, attempt, claim_id, now)
        elif run.claim != claim_id:
            raise moves.stale()
        return _answer(run)


def key_of(run: Run, attempt: int, claim_id: str) -> str:
    """The run's key: the same for a repeated claim, told by no other, kept only as a hash."""
    word = f"{run.ref}:{attempt}:{claim_id}".encode()
    return "kr_" + hmac.new(settings.SECRET_KEY.encode(), b"run key\0" + word, hashlib.sha256).hexdigest()


def lease_from(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.LEASE_SECONDS)


def _begin(run: Run, attempt: int, claim_id: str, now: datetime) -> None:
    if attempt > 1:
        _set_aside(run)
    moves.move(
        run, Run.Stage.CLAIMED, code="claimed", at=now, data={"claim": claim_id}, claim=claim_id, claimed_at=now,
        claimed_attempt=attempt, key_digest=hash_token(key_of(run, attempt, claim_id)), lease_until=lease_from(now),
        last_report_at=now, reached=Run.Stage.CLAIMED, facts={"machine": run.host.facts},
    )  # fmt: skip


def _set_aside(run: Run) -> None:
    """A fresh directory begins. What was shipped stays; it counts on only if the program can finish the rest."""
    Metric.objects.filter(run=run).delete()
    Run.objects.filter(pk=run.pk).update(facts={}, first_error=None, steps=0)
    if takes_remaining(run):
        Run.objects.filter(pk=run.pk).update(remaining=missing_ids(run))
    else:
        RunFile.objects.filter(run=run).update(counts=False)
        Item.objects.filter(run=run, carried=False).delete()
        carried = run.items.filter(kind=Item.Kind.RESULT)
        accepted = carried.filter(status=Item.Status.ACCEPTED).count()
        Run.objects.filter(pk=run.pk).update(accepted=accepted, refused=carried.count() - accepted, strays=0)
    run.refresh_from_db()


def _answer(run: Run) -> wire.Claim:
    spec, project = run.pilot.spec, run.pilot.project
    if spec is None or project is None:
        raise RuntimeError("a run without a frozen spec cannot exist")
    return {
        "run": run.ref,
        "attempt": run.attempt,
        "claim": run.claim,
        "run_key": key_of(run, run.attempt, run.claim),
        "try_number": run.number,
        "spec": cast(wire.FrozenSpec, json.loads(spec.canonical)),
        "spec_sha256": spec.sha256,
        "archive_sha256": project.host_sha256,
        "archive_size": project.host_size,
        "remaining": run.remaining,
        "env": {},
        "lease_seconds": settings.LEASE_SECONDS,
        "report_seconds": settings.REPORT_SECONDS,
        "held": held(run),
    }


def held(run: Run) -> dict[str, int]:
    """Bytes the site holds of each file of the attempt in force."""
    rows = RunFile.objects.filter(run=run, attempt=run.attempt).values("name").annotate(bytes=Max("held"))
    return {row["name"]: row["bytes"] for row in rows}
