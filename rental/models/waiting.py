"""The waiting list of a sold-out card: who wants how many lots, since when, and what was offered."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from rental.catalogue.prices import DAYS
from rental.models.catalogue import Card, Preparation, Quote


class WaitingQuerySet(models.QuerySet["Waiting"]):
    def open(self) -> "WaitingQuerySet":
        """Those that still wait or hold an offer, in the order of joining."""
        return self.filter(outcome="").order_by("pk")

    def in_line(self) -> "WaitingQuerySet":
        """Those without an offer yet, in the order of joining."""
        return self.open().filter(quote=None)


class Waiting(models.Model):
    """A customer's wish for lots of a card that had none free."""

    class Outcome(models.TextChoices):
        TAKEN = "taken", _("ordered")
        MISSED = "missed", _("offer not taken in time")
        LEFT = "left", _("left the list")

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="waits")
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="waits")
    lots = models.PositiveSmallIntegerField()
    days = models.PositiveSmallIntegerField()
    preparation = models.CharField(max_length=16, choices=Preparation.choices, default=Preparation.UBUNTU)
    joined_at = models.DateTimeField(default=timezone.now)
    quote = models.OneToOneField(Quote, on_delete=models.PROTECT, null=True, blank=True, related_name="waiting")
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = WaitingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["customer", "card"], condition=Q(outcome=""), name="waiting_once_a_card"),
            models.CheckConstraint(condition=Q(lots__gte=1, lots__lte=10), name="waiting_lots_1_to_10"),
            models.CheckConstraint(condition=Q(days__in=DAYS), name="waiting_term_known"),
        ]

    def __str__(self) -> str:
        return f"{self.customer_id}: {self.lots} of {self.card_id}"
