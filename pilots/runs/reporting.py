"""What a host reports of a run it has claimed: its heartbeat, ranges of files, and its end."""

import os
from typing import IO

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import ingest, storage
from pilots.host import wire
from pilots.models import Run, RunFile
from pilots.runs import moves
from pilots.runs.claiming import held, lease_from

ENDS: tuple[str, ...] = ("completed", "failed", "cancelled", "refused")  # `lost` is ours to say


def report(run: Run, attempt: int, claim: str) -> wire.ReportAnswer:
    """The heartbeat: renews the lease and says whether to stop. A silent attempt comes back if its process lives.

    Raises:
        Refusal: `stale` when the run is over or another attempt has begun.
    """
    with transaction.atomic():
        run = moves.locked(run.pk)
        _fence(run, attempt, claim)
        now = timezone.now()
        Run.objects.filter(pk=run.pk).update(lease_until=lease_from(now), last_report_at=now)
        return {
            "cancel": run.cancel_asked_at is not None,
            "lease_seconds": settings.LEASE_SECONDS,
            "report_seconds": settings.REPORT_SECONDS,
            "held": held(run),
        }


def append(run: Run, attempt: int, claim: str, name: str, offset: int, data: bytes) -> int:
    """Append a range when its offset is what we hold; its lines and the new offset are kept in one transaction.

    Returns the bytes held. A range that we hold already changes nothing.

    Raises:
        Refusal: `stale`; `gap` with `held` when bytes are missing between; `file_unknown`; `file_full`.
    """
    if name not in wire.FILES:
        raise Refusal("file_unknown", _("No run ships a file of this name."), status=404)
    with transaction.atomic():
        run = moves.locked(run.pk)
        _fence(run, attempt, claim)
        file, _made = RunFile.objects.get_or_create(run=run, attempt=attempt, name=name)
        if offset + len(data) <= file.held:
            return file.held
        if offset != file.held:
            raise Refusal("gap", _("Send this file from the offset that we hold."), data={"held": file.held})
        if file.held + len(data) > settings.RUN_FILE_MAX_BYTES:
            raise Refusal(
                "file_full", _("This file is larger than a run may ship."), status=413, data={"held": file.held}
            )
        _write(run, file, data)
        _take(run, file, data)
        now = timezone.now()
        Run.objects.filter(pk=run.pk).update(lease_until=lease_from(now), last_report_at=now)
        return file.held


def finish(run: Run, manifest: wire.Manifest) -> dict[str, int]:
    """The host's end: what it counted, compared with what we hold. The same end again changes nothing.

    Raises:
        Refusal: `incomplete` with `held` while bytes are missing here; `stale`.
    """
    told: dict[str, wire.FileFact] = {name: fact for name, fact in manifest["files"].items() if name in wire.FILES}
    with transaction.atomic():
        run = moves.locked(run.pk)
        if run.outcome and run.manifest == told and run.outcome == manifest["outcome"]:
            return held(run)
        _fence(run, manifest["attempt"], manifest["claim"])
        if manifest["outcome"] not in ENDS:
            raise Refusal("outcome_unknown", _("A host may not say this of a run."), status=422)
        ours = held(run)
        if any(fact["size"] > ours.get(name, 0) for name, fact in told.items()):
            raise Refusal("incomplete", _("Send what is missing here, then finish again."), data={"held": ours})
        close_files(run)
        reached = Run.Stage.COLLECTING if manifest["outcome"] == "completed" else run.reached
        moves.end(
            run, manifest["outcome"], reason=manifest["reason"][:60], fault=manifest["fault"],
            exit_code=manifest["exit_code"], manifest=told, last_report_at=timezone.now(),
            stage=Run.Stage.COLLECTING, reached=reached,
        )  # fmt: skip
        return ours


def close_files(run: Run) -> None:
    """At the run's end a last line that nothing ended is a line too."""
    for file in RunFile.objects.filter(run=run, attempt=run.claimed_attempt):
        file.run = run
        if file.parsed < file.held:
            ingest.read(run, file, file.held, last=True)
            file.save(update_fields=["parsed", "lines"])


def _fence(run: Run, attempt: int, claim: str) -> None:
    """Only the attempt in force may write; one that was given up and not yet replaced is in force again."""
    if run.outcome or not claim or run.claim != claim or run.claimed_attempt != attempt:
        raise moves.stale(held(run))
    if run.attempt == attempt and run.stage != Run.Stage.QUEUED:
        return
    if run.attempt == attempt + 1 and run.stage == Run.Stage.QUEUED:
        back = run.reached if run.reached != Run.Stage.QUEUED else Run.Stage.CLAIMED
        if moves.move(run, back, code="came_back", attempt=attempt, offered_at=None):
            return
    raise moves.stale(held(run))


def _write(run: Run, file: RunFile, data: bytes) -> None:
    """The bytes are on the disk before the row says so; what a crash left beyond the row is cut off first."""
    path = file.disk_path
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _opened(path) as target:
        if os.fstat(target.fileno()).st_size < file.held:
            raise OSError(f"{path} is shorter than the {file.held} bytes that were kept")
        target.truncate(file.held)
        target.seek(file.held)
        target.write(data)
        target.flush()
        os.fsync(target.fileno())
    if new:
        storage.sync_folder(path.parent)


def _opened(path: "os.PathLike[str]") -> IO[bytes]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    return os.fdopen(handle, "r+b")


def _take(run: Run, file: RunFile, data: bytes) -> None:
    """Rows for the lines that this range completes; the part after the last newline waits for its end."""
    before, file.held = file.held, file.held + len(data)
    newline = data.rfind(b"\n")
    if newline >= 0:
        ingest.read(run, file, before + newline + 1)
    file.updated_at = timezone.now()
    file.save(update_fields=["held", "parsed", "lines", "updated_at"])
