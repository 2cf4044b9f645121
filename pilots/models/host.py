"""A GPU machine that runs the host agent, and the one-time word that lets it in."""

import hashlib
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

# The name is part of a Redis key pattern and of an ACL line: nothing but these letters may reach them.
NAME = RegexValidator(r"\A[a-z][a-z0-9-]{0,39}\Z")


def hash_token(plain: str) -> str:
    return hashlib.sha256(plain.encode()).hexdigest()


class Host(models.Model):
    """`name` is its reference everywhere: on pages, in orders (`OrderHost.host_ref`) and in the queue's keys."""

    name = models.CharField(max_length=40, unique=True, validators=[NAME])
    token_digest = models.CharField(max_length=64, unique=True)
    facts = models.JSONField(default=dict)  # pilots.host.wire.Facts, as last told
    slots = models.PositiveSmallIntegerField(default=1)  # runs at a time
    enrolled_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    proved_at = models.DateTimeField(null=True, blank=True)  # last diagnostic that proved a card
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None

    @property
    def is_silent(self) -> bool:
        """No word for three leases: shown as silent, with the time of its last word."""
        seen = self.last_seen_at
        return seen is None or timezone.now() - seen > timedelta(seconds=3 * settings.LEASE_SECONDS)

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The cards it listed (`wire.CardFacts`); empty on a CPU machine."""
        return list(self.facts.get("cards") or [])


class Enrolment(models.Model):
    """A word that lets one machine enrol once under one name; kept only as a hash."""

    name = models.CharField(max_length=40, validators=[NAME])
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.PROTECT, related_name="enrolments")

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]

    def __str__(self) -> str:
        return self.name
