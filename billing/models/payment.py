"""What is asked for, what the customer told, and what really arrived: three facts that never stand for each other."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.fields import UnitsField
from billing.models.ledger import Journal
from billing.models.source import Rate, ReceivingAddress
from billing.networks import ASSET_CHOICES, NETWORK_CHOICES
from common.codes import reference


class PaymentRequest(models.Model):
    """What to send for one reference (an order's code): asset, network, address, amount, rate, deadline."""

    class State(models.TextChoices):
        OPEN = "open", _("waiting for money")
        COVERED = "covered", _("the whole amount confirmed")
        CLOSED = "closed", _("no longer asked for")

    # A closed request's address stays watched: late money still covers it.
    MOVES: ClassVar[dict[str, frozenset[str]]] = {
        State.OPEN: frozenset({State.COVERED, State.CLOSED}),
        State.CLOSED: frozenset({State.COVERED}),
        State.COVERED: frozenset(),
    }

    id = models.CharField(primary_key=True, max_length=26, default=reference, editable=False)
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="payment_requests")
    reference = models.CharField(max_length=80, db_index=True)
    network = models.CharField(max_length=16, choices=NETWORK_CHOICES)
    asset = models.CharField(max_length=8, choices=ASSET_CHOICES)
    address = models.OneToOneField(ReceivingAddress, on_delete=models.PROTECT, related_name="request")
    amount_cents = models.BigIntegerField()
    due_units = UnitsField()
    rate = models.ForeignKey(Rate, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["reference", "network", "asset"], condition=Q(state="open"), name="request_one_open_an_asset"
            ),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="request_asks_for_something"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="request_deadline_after_creation"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reference} {self.network} {self.asset}"

    def is_late(self, now: datetime) -> bool:
        """After the deadline: what was already sent still counts, nothing new should be sent."""
        return now >= self.expires_at


class PaymentRequestMove(models.Model):
    """A change of a request's state: old, new, who, when, why."""

    request = models.ForeignKey(PaymentRequest, on_delete=models.PROTECT, related_name="moves")
    old = models.CharField(max_length=16)
    new = models.CharField(max_length=16)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)
    code = models.CharField(max_length=40)
    note = models.CharField(max_length=500, blank=True)

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"


class PaidNotice(models.Model):
    """The customer's dated word "I paid": one per request. No transition of any state reads it."""

    request = models.OneToOneField(PaymentRequest, on_delete=models.PROTECT, related_name="notice")
    network = models.CharField(max_length=16, choices=NETWORK_CHOICES)
    noted_at = models.DateTimeField(default=timezone.now)
    transaction = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001 (null: many notices without)
    transaction_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["network", "transaction"], name="notice_transaction_serves_once")
        ]

    def __str__(self) -> str:
        return f"{self.request_id} {self.noted_at:%Y-%m-%d %H:%M}"


class Receipt(models.Model):
    """Money really seen on a network, by an operator with evidence or by a watcher."""

    class State(models.TextChoices):
        SEEN = "seen", _("seen")
        CONFIRMED = "confirmed", _("confirmed")
        REPLACED = "replaced", _("replaced")

    # A replaced transaction can still be mined after all: then it is seen again.
    MOVES: ClassVar[dict[str, frozenset[str]]] = {
        State.SEEN: frozenset({State.CONFIRMED, State.REPLACED}),
        State.REPLACED: frozenset({State.SEEN}),
        State.CONFIRMED: frozenset(),
    }

    class Problem(models.TextChoices):
        """Why it is credited to nobody by itself and waits for a person."""

        NONE = "", _("none")
        WRONG_ASSET = "wrong_asset", _("another asset than the one asked for")
        UNKNOWN_ADDRESS = "unknown_address", _("an address that no request was given")

    network = models.CharField(max_length=16, choices=NETWORK_CHOICES)
    asset = models.CharField(max_length=8, choices=ASSET_CHOICES)
    transaction = models.CharField(max_length=100)
    output = models.PositiveBigIntegerField()
    address = models.CharField(max_length=128)
    request = models.ForeignKey(
        PaymentRequest, on_delete=models.PROTECT, null=True, blank=True, related_name="receipts"
    )
    problem = models.CharField(max_length=20, choices=Problem.choices, default="", blank=True)
    units = UnitsField()
    evidence = models.CharField(max_length=1000)
    state = models.CharField(max_length=16, choices=State.choices, default=State.SEEN)
    recorded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="receipts_recorded"
    )
    seen_at = models.DateTimeField(default=timezone.now)
    # The first of two operators, where the sum wants two.
    vouched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    vouched_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)
    late = models.BooleanField(default=False)
    # The rate it was credited at: the request's, or for late money the one at confirmation.
    rate = models.ForeignKey(Rate, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    credited_cents = models.BigIntegerField(default=0)
    journal = models.OneToOneField(Journal, on_delete=models.PROTECT, null=True, blank=True, related_name="receipt")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["id"], condition=Q(state="seen"), name="receipt_waiting")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["network", "transaction", "output"], name="receipt_once"),
            models.CheckConstraint(condition=Q(credited_cents__gte=0), name="receipt_credits_nothing_negative"),
            models.CheckConstraint(
                condition=Q(credited_cents=0) | Q(state="confirmed", request__isnull=False, problem=""),
                name="receipt_credited_only_when_confirmed",
            ),
            models.CheckConstraint(
                condition=Q(vouched_by__isnull=True)
                | Q(confirmed_by__isnull=True)
                | ~Q(vouched_by=models.F("confirmed_by")),
                name="receipt_two_persons",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.network} {self.transaction}:{self.output}"


class ReceiptMove(models.Model):
    """A change of a receipt's state: old, new, who, when, why."""

    receipt = models.ForeignKey(Receipt, on_delete=models.PROTECT, related_name="moves")
    old = models.CharField(max_length=16)
    new = models.CharField(max_length=16)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)
    code = models.CharField(max_length=40)
    note = models.CharField(max_length=1000, blank=True)

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"
