"""What people said: verdicts on single results, and what follows from a pilot. Superseded, never edited."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pilots.models.evidence import Evidence
from pilots.models.pilot import Declared, Pilot
from pilots.models.run import Run


class Review(models.Model):
    """A person's verdict on one result read beside its input. The one in force has `superseded_at` empty."""

    class Verdict(models.TextChoices):
        RIGHT = "right", _("right")
        WRONG = "wrong", _("wrong")
        UNSURE = "unsure", _("unsure")

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="reviews")
    declared = models.ForeignKey(Declared, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=6, choices=Verdict.choices)
    note = models.TextField(blank=True, max_length=2000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["run", "declared"], condition=models.Q(superseded_at__isnull=True), name="review_in_force_once"
            )
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(
                name="review_never_edited",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(exclude=["superseded_at"]),
            ),
            pgtrigger.Protect(name="review_never_deleted", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return self.verdict


class Decision(models.Model):
    """Launch the volume, fix the environment or revise the configuration, on the evidence named by its hash."""

    class Choice(models.TextChoices):
        LAUNCH = "launch", _("Launch the volume")
        FIX = "fix", _("Fix the environment")
        REVISE = "revise", _("Revise the configuration")

    pilot = models.ForeignKey(Pilot, on_delete=models.PROTECT, related_name="decisions")
    choice = models.CharField(max_length=6, choices=Choice.choices)
    reason = models.TextField(max_length=4000)
    evidence = models.ForeignKey(Evidence, on_delete=models.PROTECT, related_name="decisions")
    evidence_sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["pilot"], condition=models.Q(superseded_at__isnull=True), name="decision_in_force_once"
            ),
            models.CheckConstraint(name="decision_has_reason", condition=~models.Q(reason="")),
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(
                name="decision_never_edited",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(exclude=["superseded_at"]),
            ),
            pgtrigger.Protect(name="decision_never_deleted", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return self.choice
