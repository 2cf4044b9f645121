"""Where a payment request takes its address and its rate from."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.networks import ASSET_CHOICES, NETWORK_CHOICES


class AddressKey(models.Model):
    """An account's public key that addresses are derived from: watch-only, it can spend nothing."""

    class State(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        ACTIVE = "active", _("in use")
        RETIRED = "retired", _("retired")

    network = models.CharField(max_length=16, choices=NETWORK_CHOICES)
    public_key = models.CharField(max_length=120, unique=True)
    fingerprint = models.CharField(max_length=16)
    state = models.CharField(max_length=16, choices=State.choices, default=State.PROPOSED)
    example = models.BooleanField(default=False)
    next_index = models.PositiveIntegerField(default=0)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    proposed_at = models.DateTimeField(default=timezone.now)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    approved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["network"], condition=Q(state="active"), name="address_key_one_active_a_network"
            ),
            models.CheckConstraint(
                condition=Q(proposed_by__isnull=True) | ~Q(proposed_by=models.F("approved_by")),
                name="address_key_two_persons",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.network} {self.fingerprint}"


class ReceivingAddress(models.Model):
    """An address that serves one payment request ever: derived at `index` of a key, or uploaded to the pool."""

    network = models.CharField(max_length=16, choices=NETWORK_CHOICES)
    address = models.CharField(max_length=128)
    key = models.ForeignKey(AddressKey, on_delete=models.PROTECT, null=True, blank=True, related_name="addresses")
    index = models.PositiveIntegerField(null=True, blank=True)
    example = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["network", "id"], condition=Q(taken_at__isnull=True), name="address_free")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["network", "address"], name="address_once_a_network"),
            models.UniqueConstraint(fields=["key", "index"], name="address_once_a_key_and_index"),
            models.CheckConstraint(
                condition=Q(key__isnull=True, index__isnull=True) | Q(key__isnull=False, index__isnull=False),
                name="address_derived_or_pooled",
            ),
        ]

    def __str__(self) -> str:
        return self.address


class Rate(models.Model):
    """A line of the operator's table: micro-USD for one whole coin. Lines are added, never changed."""

    class Source(models.TextChoices):
        TABLE = "table", _("our table")
        EXAMPLE = "example", _("our example table")

    asset = models.CharField(max_length=8, choices=ASSET_CHOICES)
    micro_usd = models.BigIntegerField()
    source = models.CharField(max_length=16, choices=Source.choices, default=Source.TABLE)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)
    valid_until = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["asset", "-id"], name="rate_newest")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(micro_usd__gt=0), name="rate_above_zero"),
            models.CheckConstraint(condition=Q(valid_until__gt=models.F("set_at")), name="rate_valid_after_set"),
        ]

    def __str__(self) -> str:
        return f"{self.asset} {self.micro_usd}"

    def is_valid(self, now: datetime) -> bool:
        return now < self.valid_until
