"""A peak of memory that nobody knows yet: the estimate kept beside a pilot, for a run to measure."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone

from pilots.models.pilot import Pilot


class MemoryObjective(models.Model):
    """An estimated range, written once; a later one counts instead. The frozen spec knows nothing of it."""

    pilot = models.ForeignKey(Pilot, on_delete=models.PROTECT, related_name="memory_objectives")
    low_bytes = models.BigIntegerField()
    high_bytes = models.BigIntegerField()
    worksheet = models.CharField(max_length=600, blank=True)  # the query that shows the worksheet again
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="memory_objective_is_a_range",
                condition=models.Q(low_bytes__gte=0, high_bytes__gte=models.F("low_bytes"), high_bytes__gt=0),
            )
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="memory_objective_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.low_bytes}–{self.high_bytes}"
