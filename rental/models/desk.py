"""What operators did, what waits for a second one, and the proofs of the books: rows that are never changed."""

from datetime import datetime
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class OperatorAct(models.Model):
    """One act at the desk: who, when, what about, why, and what was typed, secrets left out."""

    class Way(models.TextChoices):
        PAGE = "page", _("page")
        API = "api", _("API")

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now, db_index=True)
    act = models.CharField(max_length=60, db_index=True)
    about = models.CharField(max_length=120, blank=True, db_index=True)
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    way = models.CharField(max_length=8, choices=Way.choices, default=Way.PAGE)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        triggers: ClassVar = [pgtrigger.Protect(name="act_append_only", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.act} {self.about}"


class ApprovalQuerySet(models.QuerySet["Approval"]):
    def waiting(self, now: datetime) -> "ApprovalQuerySet":
        return self.filter(state=Approval.State.WAITING, expires_at__gt=now).order_by("asked_at", "pk")


class Approval(models.Model):
    """An act on money above the two-person sum: asked for by one operator, done or refused by another."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waits for a second operator")
        DONE = "done", _("done")
        REFUSED = "refused", _("refused")
        EXPIRED = "expired", _("expired")

    class Kind(models.TextChoices):
        ADJUST = "adjust", _("Adjust a balance")
        REFUND = "refund", _("Refund an order")
        DOWNTIME = "downtime", _("Credit time down")

    kind = models.CharField(max_length=12, choices=Kind.choices)
    key = models.CharField(max_length=120)
    about = models.CharField(max_length=120, help_text="the order's code or the customer's email")
    payload = models.JSONField()
    cents = models.BigIntegerField(help_text="what it adds to the customer's balance")
    reason = models.TextField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(answered_by=None) | ~models.Q(answered_by=models.F("asked_by")),
                name="approval_by_another",
            ),
            # One form sent many times asks once.
            models.UniqueConstraint(fields=["key"], condition=models.Q(state="waiting"), name="approval_asked_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.about}: {self.state}"


class ProofRecord(models.Model):
    """One proof of the books: when, how many differences, and the first of them in words."""

    at = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField()
    lines = models.JSONField(default=list)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        triggers: ClassVar = [
            pgtrigger.Protect(name="proof_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M}: {self.count}"

    @property
    def holds(self) -> bool:
        return self.count == 0
