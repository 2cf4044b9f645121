"""Orders and their moves: what was bought, where it is, and who moved it there."""

from datetime import datetime, timedelta
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.codes import readable
from rental.catalogue.prices import DAYS, hours_of
from rental.models.catalogue import Card, Preparation, Quote


class OrderQuerySet(models.QuerySet["Order"]):
    def live(self) -> "OrderQuerySet":
        """Orders that hold their lots."""
        return self.filter(state__in=Order.LIVE)

    def waiting_for_money(self) -> "OrderQuerySet":
        return self.filter(state=Order.State.PLACED)

    def to_deliver(self) -> "OrderQuerySet":
        """Paid and not yet delivered, the oldest promise first."""
        return self.filter(state__in=(Order.State.PAID, Order.State.PREPARING)).order_by("promised_at", "pk")

    def overdue(self, now: datetime) -> "OrderQuerySet":
        return self.to_deliver().filter(promised_at__lt=now)


class Order(models.Model):
    """An accepted quote. Its figures never change."""

    class State(models.TextChoices):
        PLACED = "placed", _("placed")
        PAID = "paid", _("paid")
        PREPARING = "preparing", _("preparing")
        DELIVERED = "delivered", _("delivered")
        ENDED = "ended", _("ended")
        CANCELLED = "cancelled", _("cancelled")
        LAPSED = "lapsed", _("lapsed")
        REFUNDED = "refunded", _("refunded to balance")

    # Every move there is. What is not here cannot happen.
    MOVES: ClassVar[dict[str, tuple[str, ...]]] = {
        State.PLACED: (State.PAID, State.CANCELLED, State.LAPSED),
        State.PAID: (State.PREPARING, State.REFUNDED),
        State.PREPARING: (State.DELIVERED, State.REFUNDED),
        State.DELIVERED: (State.ENDED,),
        State.ENDED: (),
        State.CANCELLED: (),
        State.LAPSED: (),
        State.REFUNDED: (),
    }
    LIVE: ClassVar = (State.PLACED, State.PAID, State.PREPARING, State.DELIVERED)
    FINAL: ClassVar = (State.ENDED, State.CANCELLED, State.LAPSED, State.REFUNDED)

    code = models.CharField(max_length=9, unique=True, default=readable, editable=False)
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="orders")
    quote = models.OneToOneField(Quote, on_delete=models.PROTECT, related_name="order")
    # One form sent many times gives one order.
    form_id = models.CharField(max_length=64, blank=True)
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="orders")
    days = models.PositiveSmallIntegerField()
    lots = models.PositiveSmallIntegerField()
    cards = models.PositiveSmallIntegerField()
    preparation = models.CharField(max_length=16, choices=Preparation.choices)
    preparation_note = models.TextField(blank=True)
    unit_price_cents = models.PositiveBigIntegerField()
    total_cents = models.PositiveBigIntegerField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.PLACED)
    placed_at = models.DateTimeField(default=timezone.now)
    pay_until = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)
    promised_at = models.DateTimeField(null=True, blank=True, help_text="delivery promised by; set when paid")
    delivered_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    late_hours = models.PositiveIntegerField(default=0, help_text="hours added to the first term for a late delivery")
    # The order of the same customer that this one took the place of, before it was paid.
    replaces = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by")

    objects = OrderQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "pay_until"]),
            models.Index(fields=["state", "ends_at"]),
            models.Index(fields=["card", "state"]),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["customer", "form_id"], condition=~Q(form_id=""), name="order_one_per_form"
            ),
            models.CheckConstraint(condition=Q(lots__gte=1, lots__lte=10), name="order_lots_1_to_10"),
            models.CheckConstraint(condition=Q(days__in=DAYS), name="order_term_known"),
            models.CheckConstraint(
                condition=Q(total_cents=F("unit_price_cents") * F("lots")), name="order_total_is_price_times_lots"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("delivered", "ended")) | Q(delivered_at__isnull=False, ends_at__isnull=False),
                name="order_delivered_has_its_times",
            ),
            models.CheckConstraint(
                condition=Q(late_hours=0) | Q(delivered_at__gt=F("promised_at")), name="order_late_hours_only_when_late"
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def hours(self) -> int:
        return hours_of(self.days)

    @property
    def term(self) -> timedelta:
        return timedelta(hours=self.hours)

    @property
    def term_began(self) -> datetime | None:
        """When the term that runs now began: at the handover, or where an extension took over."""
        if self.delivered_at is None or self.ends_at is None:
            return None
        first = self.delivered_at + self.term + timedelta(hours=self.late_hours)
        return self.delivered_at if self.ends_at <= first else self.ends_at - self.term

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE

    def is_overdue(self, now: datetime) -> bool:
        """Paid, promised by an instant that has passed, and not delivered."""
        waiting = self.state in (self.State.PAID, self.State.PREPARING)
        return waiting and self.promised_at is not None and self.promised_at < now


class MoveCode(models.TextChoices):
    """Why a move happened: stable codes, translated when shown."""

    PLACED = "placed", _("Order placed")
    PAID_FROM_BALANCE = "paid_from_balance", _("Paid from the balance")
    PAID_ON_CREDIT = "paid_on_credit", _("Paid when confirmed money covered it")
    PREPARATION_STARTED = "preparation_started", _("Preparation started")
    HANDED_OVER = "handed_over", _("Machine handed over; the term began")
    LATE_HOURS = "late_hours", _("Hours added for the late delivery, at no charge")
    EXTENDED = "extended", _("Term extended")
    CANCELLED = "cancelled", _("Order cancelled")
    CANCELLED_PAID = "cancelled_paid", _("Order cancelled; its whole price went back to the balance")
    REPLACED = "replaced", _("Order cancelled: another took its place")
    DEADLINE_PASSED = "deadline_passed", _("Payment deadline passed")
    TERM_ENDED = "term_ended", _("Term ended; access revoked")
    REFUNDED = "refunded", _("Refunded to the balance")


class OrderMove(models.Model):
    """A line of an order's history, never changed. `old` is empty for the first, and `new` where only the end moved."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="moves")
    old = models.CharField(max_length=12, choices=Order.State.choices, blank=True)
    new = models.CharField(max_length=12, choices=Order.State.choices)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    code = models.CharField(max_length=32, choices=MoveCode.choices)
    note = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        triggers: ClassVar = [pgtrigger.Protect(name="move_append_only", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.old or '-'} → {self.new}"


class Extension(models.Model):
    """A further term bought for a delivered order, at the order's own price."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="extensions")
    days = models.PositiveSmallIntegerField()
    cents = models.PositiveBigIntegerField()
    old_ends_at = models.DateTimeField()
    new_ends_at = models.DateTimeField()
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Two presses of one button start from the same end: only one of them can extend it.
            models.UniqueConstraint(fields=["order", "old_ends_at"], name="extension_once_per_end"),
        ]

    def __str__(self) -> str:
        return f"{self.order_id} until {self.new_ends_at:%Y-%m-%d %H:%M}"

    @property
    def key(self) -> str:
        """The ledger's key of its charge."""
        return f"order:{self.order.code}:extend:{self.old_ends_at:%Y%m%dT%H%M%S.%f}"
