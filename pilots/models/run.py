"""One execution of a pilot, what happened to it, and the files its host shipped."""

from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.codes import reference
from pilots.host import wire
from pilots.models.host import Host
from pilots.models.pilot import Pilot

SILENT_AFTER = timedelta(seconds=30)


class Run(models.Model):
    """Where it is (`stage`) stays apart from why it ended (`outcome`, `reason`, `fault`).

    The figures are a running account kept by the reports; `sheet` and `verdicts` are written once, by the
    verification that re-reads the site's own copy.
    """

    # The codes; what people read of each stands in `pilots/vocabulary/runs.py`.
    class Stage(models.TextChoices):
        QUEUED = "queued", _("queued")
        CLAIMED = "claimed", _("claimed")
        FETCHED = "fetched", _("fetched")
        UNPACKED = "unpacked", _("unpacked")
        INTERPRETER = "interpreter", _("interpreter")
        ENVIRONMENT = "environment", _("environment")
        DIAGNOSTIC = "diagnostic", _("diagnostic")
        LAUNCHED = "launched", _("launched")
        PROCESSING = "processing", _("processing")
        COLLECTING = "collecting", _("collecting")
        VERIFIED = "verified", _("verified")

    class Outcome(models.TextChoices):
        NONE = "", _("not ended")
        COMPLETED = "completed", _("completed")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")
        LOST = "lost", _("lost")
        REFUSED = "refused", _("refused")

    class Fault(models.TextChoices):
        NONE = "", _("nobody")
        PROJECT = "project", _("the project")
        HOST = "host", _("the host")
        PLATFORM = "platform", _("the platform")

    ref = models.CharField(max_length=26, unique=True, default=reference, editable=False)
    pilot = models.ForeignKey(Pilot, on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()  # the try's number, from 1
    host = models.ForeignKey(Host, on_delete=models.PROTECT, related_name="runs")
    resumes = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="resumed_by")
    remaining = models.JSONField(null=True, blank=True)  # ids to finish; None: all of them
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.QUEUED)
    reached = models.CharField(max_length=12, choices=Stage.choices, default=Stage.QUEUED)  # furthest before its end
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True, default="")
    reason = models.CharField(max_length=60, blank=True)  # a code of pilots.spec.reasons
    fault = models.CharField(max_length=8, choices=Fault.choices, blank=True, default="")
    exit_code = models.IntegerField(null=True, blank=True)
    first_error = models.JSONField(null=True, blank=True)

    attempt = models.PositiveSmallIntegerField(default=1)
    claim = models.CharField(max_length=64, blank=True)
    claimed_attempt = models.PositiveSmallIntegerField(default=0)  # whose claim that is
    key_digest = models.CharField(max_length=64, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    offered_at = models.DateTimeField(null=True, blank=True)
    offers = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    last_report_at = models.DateTimeField(null=True, blank=True)
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)  # our own copy was read again and judged
    verified_at = models.DateTimeField(null=True, blank=True)  # … and equals what the host announced

    declared = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    strays = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)  # lines of metrics.jsonl
    facts = models.JSONField(default=dict)  # peaks, sandbox, seconds: measured things only
    manifest = models.JSONField(null=True, blank=True)  # the files as the host counted them at its end
    sheet = models.JSONField(null=True, blank=True)  # the balance sheet of 8-interfaces, once verified
    verdicts = models.JSONField(null=True, blank=True)  # [{code, fixed, measured, verdict}], once verified
    holds = models.BooleanField(null=True, blank=True)
    verification_error = models.CharField(max_length=60, blank=True)  # a code; the copy does not equal the host's

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["pilot", "number"], name="run_number_once"),
            models.CheckConstraint(
                name="run_ended_has_outcome",
                condition=models.Q(ended_at__isnull=True, outcome="")
                | models.Q(ended_at__isnull=False) & ~models.Q(outcome=""),
            ),
            models.CheckConstraint(
                name="run_verified_has_ended",
                condition=models.Q(verified_at__isnull=True)
                | models.Q(ended_at__isnull=False, checked_at__isnull=False),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["host", "stage"], name="run_live", condition=models.Q(outcome="")),
            models.Index(fields=["ended_at"], name="run_to_check", condition=models.Q(checked_at__isnull=True)),
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(
                name="run_outcome_is_final",
                operation=pgtrigger.Update,
                condition=~pgtrigger.Q(old__outcome="") & pgtrigger.Q(old__outcome__df=pgtrigger.F("new__outcome")),
            )
        ]

    def __str__(self) -> str:
        return f"{self.pilot_id}/{self.number}"

    @property
    def is_over(self) -> bool:
        return bool(self.outcome)

    @property
    def is_final(self) -> bool:
        """Nothing about it will change any more: pages stop polling."""
        return self.checked_at is not None

    @property
    def is_silent(self) -> bool:
        """Claimed, not over, and no report for 30 s."""
        told = self.last_report_at
        return not self.outcome and told is not None and timezone.now() - told > SILENT_AFTER

    @property
    def missing(self) -> int:
        """Declared ids without a line so far; only after its end does that mean lost."""
        return self.declared - self.accepted - self.refused

    @property
    def folder(self) -> Path:
        return Path(settings.DATA_DIR) / "files" / "runs" / self.ref


class RunEvent(models.Model):
    """One thing that happened, told by the host or done by the site or a person. The run's history; append-only."""

    class Kind(models.TextChoices):
        MOVE = "move", _("move")  # the site moved the run: old, new
        STAGE = "stage", _("stage")
        NOTE = "note", _("note")
        FIRST_ERROR = "first_error", _("first error")
        END = "end", _("end")

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    at = models.DateTimeField(default=timezone.now)  # the host's clock for what it told, ours for a move
    received_at = models.DateTimeField(default=timezone.now)
    attempt = models.PositiveSmallIntegerField(default=1)
    stage = models.CharField(max_length=12, blank=True)
    old = models.CharField(max_length=24, blank=True)
    new = models.CharField(max_length=24, blank=True)
    code = models.CharField(max_length=60, blank=True)  # a stable code, translated when shown
    data = models.JSONField(default=dict)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="run_event_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.stage or self.new}"


class RunFile(models.Model):
    """How much of one shipped file the site holds, and how far it was read into rows."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="files")
    attempt = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=40, choices=[(name, name) for name in wire.FILES])
    held = models.BigIntegerField(default=0)  # bytes
    parsed = models.BigIntegerField(default=0)  # bytes up to the last complete line that became a row
    lines = models.BigIntegerField(default=0)  # complete lines so far
    counts = models.BooleanField(default=True)  # False: set aside when the next attempt began afresh
    sha256 = models.CharField(max_length=64, blank=True)  # of our own copy, once verified
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["attempt", "name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["run", "attempt", "name"], name="run_file_once"),
            models.CheckConstraint(name="run_file_parsed_held", condition=models.Q(parsed__lte=models.F("held"))),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def disk_path(self) -> Path:
        return self.run.folder / str(self.attempt) / self.name
