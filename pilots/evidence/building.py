"""Builds a run's archive, writes it whole or not at all, and enters it beside the older ones."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone, translation

from common.codes import reference
from pilots import storage
from pilots.evidence import bag, keys
from pilots.evidence.content import entries
from pilots.evidence.statement import envelope, statement
from pilots.models import Decision, Evidence, Review, Run

LOOKED_BACK = timedelta(days=7)
QUIET = timedelta(seconds=20)  # without a new review or decision before the archive is built again


@dataclass(frozen=True)
class Prepared:
    """An archive on the disk that no row names yet."""

    run: Run
    number: int
    path: Path
    sha256: str
    size: int
    files: int
    key_id: str
    at: datetime

    def keep(self) -> Evidence:
        """Enter it; call inside the transaction that settles the run."""
        name = f"evidence/{reference()}.zip"
        target = storage.path_of(name)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.replace(target)
        storage.sync_folder(target.parent)
        return Evidence.objects.create(
            run=self.run, number=self.number, sha256=self.sha256, size=self.size, files=self.files, path=name,
            key_id=self.key_id, built_at=self.at,
        )  # fmt: skip

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)


def prepare(run: Run) -> Prepared:
    """Write the archive of a run as `run` shows it now, whether saved already or not."""
    number = (Evidence.objects.filter(run=run).aggregate(last=Max("number"))["last"] or 0) + 1
    now = timezone.now()
    folder = storage.root() / "evidence"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile(prefix=".new-", dir=folder, delete=False) as file:
        path = Path(file.name)
        try:
            with translation.override(run.pilot.customer.language):
                content = entries(run)
            files = bag.write(file, "evidence", content, _info(run), _day(run).date(), _seal(run))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    key = keys.key_id(keys.private_key().public_key())
    return Prepared(run, number, path, storage.sha256_of(path), path.stat().st_size, files, key, now)


def build(run: Run) -> Evidence:
    """Build the archive of a run that was checked, once more: reviews or a decision came after the last one."""
    made = prepare(run)
    newest = run.evidence.first()
    if newest is not None and newest.sha256 == made.sha256:
        made.discard()
        return newest
    with transaction.atomic():
        return made.keep()


def due(now: datetime) -> "QuerySet[Run]":
    """Checked runs whose newest archive is older than their newest review or decision."""
    quiet = now - QUIET
    recent = Q(reviews__at__gte=now - LOOKED_BACK) | Q(evidence__decisions__at__gte=now - LOOKED_BACK)
    runs = Run.objects.filter(pk__in=Run.objects.filter(recent, checked_at__isnull=False).values("pk"))
    later = runs.annotate(
        built=Max("evidence__built_at"), reviewed=Max("reviews__at"), decided=Max("evidence__decisions__at")
    )
    newer = Q(reviewed__gt=F("built"), reviewed__lt=quiet) | Q(decided__gt=F("built"), decided__lt=quiet)
    return later.filter(newer)


def _info(run: Run) -> dict[str, str]:
    return {
        "Bag-Software-Agent": "Kernodeck",
        "External-Identifier": run.ref,
        "External-Description": f"Evidence of {run.pilot.title}, try {run.number}",
        "Kernodeck-Spec-SHA256": run.pilot.spec_sha256,
    }


def _day(run: Run) -> datetime:
    """The day of the newest fact in it: the same facts give the same bytes."""
    reviewed = Review.objects.filter(run=run).aggregate(last=Max("at"))["last"]
    decided = Decision.objects.filter(evidence__run=run).aggregate(last=Max("at"))["last"]
    return max(moment for moment in (run.checked_at, reviewed, decided) if moment is not None)


def _seal(run: Run) -> Callable[[str], tuple[bytes, bytes]]:
    def seal(tag_manifest_sha256: str) -> tuple[bytes, bytes]:
        key = keys.private_key()
        return envelope(statement(run, tag_manifest_sha256), key), keys.public_pem(key.public_key())

    return seal
