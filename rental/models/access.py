"""Delivery: what hosts have shown, which host serves which order, and the sealed access."""

import re
from datetime import datetime, timedelta
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import ngettext

from rental.models.catalogue import Card
from rental.models.order import Order


class CardProof(models.Model):
    """What a host's own diagnostic showed at an instant; `card` is the card on sale that it matches, if any."""

    host_ref = models.CharField(max_length=64)
    card = models.ForeignKey(Card, on_delete=models.PROTECT, null=True, related_name="proofs")
    backend = models.CharField(max_length=8)
    model = models.CharField(max_length=120)
    count = models.PositiveSmallIntegerField()
    memory_gb = models.FloatField(default=0, help_text="of one card, as measured")
    facts = models.JSONField(default=dict)
    proved_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-proved_at", "-pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["host_ref", "-proved_at"])]

    def __str__(self) -> str:
        return f"{self.host_ref}: {self.count} × {self.model}"

    @property
    def machine(self) -> str:
        """The model as shown; of a CPU machine its processors in the reader's language."""
        found = re.fullmatch(r"(.+), (\d+) CPUs", self.model) if self.backend == "cpu" else None
        if found is None:
            return self.model
        count = int(found[2])
        processors = ngettext("%(count)d processor", "%(count)d processors", count) % {"count": count}
        return f"{found[1]}, {processors}"

    def is_old(self, now: datetime) -> bool:
        """Too old to hand a machine over on: it must have shown its cards in the last PROOF_HOURS hours."""
        return self.proved_at < now - timedelta(hours=settings.PROOF_HOURS)


class OrderHost(models.Model):
    """A host that serves an order until it is released."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="hosts")
    host_ref = models.CharField(max_length=64)
    exclusive = models.BooleanField(default=True)
    attached_at = models.DateTimeField(default=timezone.now)
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["order", "host_ref"], name="order_host_once"),
            models.UniqueConstraint(
                fields=["host_ref"], condition=Q(released_at=None, exclusive=True), name="host_serves_one_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.host_ref} for {self.order_id}"


class Access(models.Model):
    """How to reach the machine: sealed at rest, emptied when the term ends."""

    order = models.OneToOneField(Order, on_delete=models.PROTECT, related_name="access")
    sealed = models.BinaryField()
    # The customer's public keys as they were at the handover: [{"label", "fingerprint"}].
    keys = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"access of {self.order_id}"


class AccessReveal(models.Model):
    """Each time somebody read an access."""

    access = models.ForeignKey(Access, on_delete=models.PROTECT, related_name="reveals")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        triggers: ClassVar = [
            pgtrigger.Protect(name="reveal_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.by_id} at {self.at:%Y-%m-%d %H:%M}"
