"""The site's own copy is read again and judged; only then may a run be called verified."""

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from pilots import evidence, proofs, storage
from pilots.host import wire
from pilots.models import Run, RunFile
from pilots.projects import files_of
from pilots.runs import judging, moves
from pilots.spec import factors, first_error
from pilots.spec.lines import numbered

log = logging.getLogger(__name__)
MACHINE_FACTORS = ("cards", "python", "platform", "sandbox")
MOST_PACKAGES = 2_000


@dataclass(frozen=True)
class Copy:
    """Our own copy, read again: hashes by file row, and what differs from the host's count."""

    hashes: dict[int, str]
    differences: list[str]

    @property
    def equal(self) -> bool:
        return not self.differences


def verify(run: Run) -> Run:
    """Judge a run that has ended. Runs in a process of its own: the copy is read from the disk, not from memory.

    The sheet is computed whatever the outcome says; `verified` needs the host's own count, equal to ours.
    """
    run = Run.objects.select_related("pilot__spec", "pilot__project", "host", "resumes").get(pk=run.pk)
    if not run.outcome or run.checked_at:
        return run
    now = timezone.now()
    copy = reread(run)
    judging.judge(run)
    if run.first_error is None:
        run.first_error = _first_error(run)
    announced = run.manifest is not None
    verified = announced and copy.equal
    run.checked_at, run.verified_at = now, now if verified else None
    run.verification_error = "" if verified else "copy_differs" if announced else "never_announced"
    run.facts["differences"] = copy.differences
    run.facts["factors"] = _factors(run)
    for file in run.files.all():
        RunFile.objects.filter(pk=file.pk).update(sha256=copy.hashes[file.pk])
    built = evidence.prepare(run)
    _settle(run, now, verified, built)
    return run


def reread(run: Run) -> Copy:
    """Every byte that was shipped, hashed again and compared with what the host announced."""
    hashes: dict[int, str] = {}
    differences: list[str] = []
    told: dict[str, wire.FileFact] = run.manifest or {}
    ours: set[str] = set()
    for file in run.files.all():
        file.run = run
        size = file.disk_path.stat().st_size if file.disk_path.exists() else 0
        hashes[file.pk] = storage.sha256_of(file.disk_path, file.held)
        if size < file.held:
            differences.append(file.name)
        if file.attempt == run.claimed_attempt:
            ours.add(file.name)
            fact = told.get(file.name)
            if run.manifest is not None and file.held and fact is None:
                differences.append(file.name)
            if fact is not None and (fact["size"], fact["sha256"]) != (file.held, hashes[file.pk]):
                differences.append(file.name)
    # An announced empty file was never shipped: there is nothing of it to hold.
    differences += [name for name, fact in told.items() if name not in ours and fact["size"]]
    return Copy(hashes, sorted(set(differences)))


def _first_error(run: Run) -> dict[str, Any] | None:
    """Found by ourselves in the logs of the last attempt when the host named none and the run did not complete."""
    if run.outcome == Run.Outcome.COMPLETED and run.holds:
        return None
    for name in ("stderr.log", "install.log", "stdout.log"):
        file = run.files.filter(name=name, attempt=run.claimed_attempt).first()
        if file is None:
            continue
        file.run = run
        found = first_error.find(
            line.decode("utf-8", "replace") for _, line in numbered(storage.blocks(file.disk_path, 0, file.held))
        )
        if found is not None:
            stage = run.reached if name != "install.log" else Run.Stage.ENVIRONMENT
            return {"file": name, "line": found.line, "kind": found.kind, "text": found.text, "stage": stage}
    return None


def _factors(run: Run) -> dict[str, str]:
    """The run as flat factors, so that the next try can say what changed."""
    spec, project = run.pilot.spec, run.pilot.project
    if spec is None or project is None:
        return {}
    freeze = run.files.filter(name="freeze.txt", attempt=run.claimed_attempt).first()
    lines: list[str] = []
    if freeze is not None:
        freeze.run = run
        lines = freeze.disk_path.read_text("utf-8", "replace").splitlines()[:MOST_PACKAGES]
    machine = {key: value for key, value in run.facts.get("machine", {}).items() if key in MACHINE_FACTORS}
    return factors.describe(
        json.loads(spec.canonical),
        files=files_of(project) or None,
        freeze=lines,
        machine={"host": run.host.name, **machine},
    )


def _settle(run: Run, now: datetime, verified: bool, built: evidence.Prepared) -> None:
    """The judgement, the evidence's row and the move: all of it or nothing."""
    with transaction.atomic():
        here = Run.objects.filter(pk=run.pk, checked_at=None)
        written = here.update(
            checked_at=run.checked_at,
            verified_at=run.verified_at,
            verification_error=run.verification_error,
            sheet=run.sheet,
            verdicts=run.verdicts,
            holds=run.holds,
            accepted=run.accepted,
            refused=run.refused,
            first_error=run.first_error,
            facts=run.facts,
            **({"stage": Run.Stage.VERIFIED} if verified else {}),
        )
        if not written:
            built.discard()
            return
        built.keep()
        new = Run.Stage.VERIFIED if verified else run.stage
        code = "verified" if verified else run.verification_error
        data = {"files": run.facts["differences"]} if run.facts["differences"] else {}
        moves.record(run, old=run.stage, new=new, code=code, at=now, data=data)
        if verified:
            proofs.keep_preparation(run)
    run.refresh_from_db()
