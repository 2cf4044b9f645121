"""The outbox: every letter is a row, written with the act it tells of and sent later."""

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.utils import timezone


class LetterQuerySet(models.QuerySet["Letter"]):
    def due(self, now: datetime) -> "LetterQuerySet":
        return self.filter(sent_at=None, next_attempt_at__lte=now).order_by("pk")


class Letter(models.Model):
    """One letter to one person. `event` makes it unique: what happened once is told once."""

    event = models.CharField(max_length=120, unique=True)
    to = models.EmailField(max_length=254)
    language = models.CharField(max_length=8)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    html = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    next_attempt_at = models.DateTimeField(null=True, default=timezone.now, help_text="empty: given up")
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.TextField(blank=True)

    objects = LetterQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["sent_at", "next_attempt_at"])]

    def __str__(self) -> str:
        return f"{self.event} to {self.to}"
