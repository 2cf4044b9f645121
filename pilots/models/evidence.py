"""The verified copy of a run, as a signed BagIt archive, and each time a copy of it was read again."""

from pathlib import Path
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone

from pilots.models.run import Run


class Evidence(models.Model):
    """One archive. Built again (next number) when reviews or a decision came after it; the older ones stay."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="evidence")
    number = models.PositiveSmallIntegerField(default=1)
    sha256 = models.CharField(max_length=64, db_index=True)
    size = models.BigIntegerField()
    files = models.PositiveIntegerField()
    path = models.CharField(max_length=160)  # under DATA_DIR/files
    key_id = models.CharField(max_length=64)  # SHA-256 of the public key that signed it
    built_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["run", "number"], name="evidence_number_once")
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="evidence_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return self.sha256

    @property
    def disk_path(self) -> Path:
        return Path(settings.DATA_DIR) / "files" / self.path

    @property
    def file_name(self) -> str:
        """What a browser saves it as."""
        return f"{self.run.ref[:8].lower()}-try-{self.run.number}-evidence-{self.number}.zip"


class Reread(models.Model):
    """A copy was read again, every byte of it: `n files match`, or the first file that does not."""

    evidence = models.ForeignKey(Evidence, on_delete=models.PROTECT, related_name="rereads")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    source = models.CharField(max_length=8)  # `own` (the site's copy) or `copy` (one that was brought back)
    files = models.PositiveIntegerField()
    matches = models.BooleanField()
    difference = models.CharField(max_length=400, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]

    def __str__(self) -> str:
        return f"{self.files} files"
