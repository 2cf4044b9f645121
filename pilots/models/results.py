"""Rows made from shipped lines: results, a training's metrics, the diagnostic's rungs."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pilots.models.host import Host
from pilots.models.run import Run


class Item(models.Model):
    """One line of `results.jsonl`. A declared id has at most one row of kind `result`; every other line is a stray.

    A declared id without a row is missing: `pilots.items` lists both together.
    """

    class Kind(models.TextChoices):
        RESULT = "result", _("result")
        DUPLICATED = "duplicated", _("duplicated")
        INVENTED = "invented", _("invented")
        MALFORMED = "malformed", _("malformed")

    class Status(models.TextChoices):
        NONE = "", _("none")
        ACCEPTED = "accepted", _("accepted")
        REFUSED = "refused", _("refused")

    # The constraint and the indexes below all begin with the run: no index of its own.
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="items", db_index=False)
    attempt = models.PositiveSmallIntegerField(default=1)
    line = models.BigIntegerField()  # its number in results.jsonl, from 1
    kind = models.CharField(max_length=10, choices=Kind.choices)
    position = models.PositiveIntegerField(null=True, blank=True)  # of its Declared; only for a result
    item_id = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, blank=True)
    category = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    agrees = models.BooleanField(null=True, blank=True)  # None: there is no expected answer
    margin = models.FloatField(null=True, blank=True)
    carried = models.BooleanField(default=False)  # taken over from the try that this one resumes
    extra = models.JSONField(default=dict)  # the program's other keys, as they are
    raw = models.TextField(blank=True)  # a stray's own line

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["run", "position"], name="item_result_once"),
            models.CheckConstraint(
                name="item_result_has_position",
                condition=models.Q(kind="result", position__isnull=False)
                | models.Q(~models.Q(kind="result"), position__isnull=True),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["run", "kind", "id"], name="item_strays", condition=~models.Q(kind="result")),
            models.Index(
                fields=["run", "status", "position"], name="item_by_status", condition=models.Q(kind="result")
            ),
            models.Index(
                fields=["run", "category", "position"], name="item_by_category", condition=models.Q(kind="result")
            ),
            models.Index(
                fields=["run", "margin"],
                name="item_least_sure",
                condition=models.Q(kind="result", margin__isnull=False),
            ),
            models.Index(fields=["run", "position"], name="item_disagrees", condition=models.Q(agrees=False)),
        ]

    def __str__(self) -> str:
        return self.item_id


class Metric(models.Model):
    """One line of a training's `metrics.jsonl`."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="metrics")
    attempt = models.PositiveSmallIntegerField(default=1)
    line = models.BigIntegerField()
    step = models.BigIntegerField(null=True, blank=True)
    loss = models.FloatField(null=True, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]

    def __str__(self) -> str:
        return f"step {self.step}"


class Rung(models.Model):
    """One rung of the diagnostic, of a run or (with `run` empty) of a host alone."""

    host = models.ForeignKey(Host, on_delete=models.PROTECT, related_name="rungs")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.PROTECT, related_name="rungs")
    attempt = models.PositiveSmallIntegerField(default=1)
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    verdict = models.CharField(max_length=20)  # as the diagnostic says: passed, failed, skipped, not_run
    seconds = models.FloatField(null=True, blank=True)
    facts = models.JSONField(default=dict)
    proves = models.TextField(blank=True)
    does_not_prove = models.TextField(blank=True)
    next_step = models.TextField(blank=True)
    reported_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"
