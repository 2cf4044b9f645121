"""Rows that every room needs and none owns: API tokens, answers kept for a repeated request, forms already sent."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

SCOPES = ("read", "order", "pilot", "desk")


class ApiToken(models.Model):
    """A bearer token, shown once and kept only as a hash."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.scopes)})"

    @staticmethod
    def hash(plain: str) -> str:
        return hashlib.sha256(plain.encode()).hexdigest()

    @classmethod
    def issue(cls, owner: models.Model, name: str, scopes: list[str], days: int = 90) -> tuple["ApiToken", str]:
        """A new token and its plain text, which is not kept."""
        plain = "kd_" + secrets.token_urlsafe(32)
        row = cls.objects.create(
            owner=owner,
            name=name,
            digest=cls.hash(plain),
            scopes=scopes,
            expires_at=timezone.now() + timedelta(days=days),
        )
        return row, plain

    def is_usable(self, now: datetime) -> bool:
        return self.revoked_at is None and self.expires_at > now


class IdempotentAnswer(models.Model):
    """The answer given to an `Idempotency-Key`, so that a repeat gets the same one."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(null=True)
    content_type = models.CharField(max_length=80, default="application/json")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["owner", "key"], name="idempotent_owner_key")
        ]

    def __str__(self) -> str:
        return self.key
