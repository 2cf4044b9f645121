"""What is on sale: cards, their dated prices, and the quotes that hold them."""

from datetime import datetime
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.codes import reference
from rental.catalogue.prices import DAYS


class Backend(models.TextChoices):
    CUDA = "cuda", "cuda"
    ROCM = "rocm", "rocm"
    CPU = "cpu", "cpu"


class Preparation(models.TextChoices):
    """What the customer asks to find on the machine: a wish, not a proof."""

    UBUNTU = "ubuntu", _("Ubuntu")
    PYTORCH = "pytorch", _("PyTorch")
    BLENDER = "blender", _("Blender")
    CUSTOM = "custom", _("Custom")


class CardQuerySet(models.QuerySet["Card"]):
    def on_sale(self) -> "CardQuerySet":
        return self.filter(on_sale=True)


class Card(models.Model):
    """A GPU model on sale. Its lots are its whole stock, rented or not."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    vendor = models.CharField(max_length=40, blank=True)
    backend = models.CharField(max_length=8, choices=Backend.choices)
    memory_gb = models.PositiveIntegerField(null=True, blank=True, help_text="GB of one card; empty for a CPU machine")
    cards_per_lot = models.PositiveSmallIntegerField(default=1)
    lots = models.PositiveIntegerField(default=0)
    position = models.PositiveSmallIntegerField(default=0)
    on_sale = models.BooleanField(default=True)
    # Several orders may be delivered on one host: only for machines that nobody rents alone.
    shares_host = models.BooleanField(default=False)

    objects = CardQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["position", "slug"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(cards_per_lot__gte=1), name="card_has_cards"),
            models.CheckConstraint(condition=Q(backend__in=Backend.values), name="card_backend_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def price_at(self, days: int, now: datetime) -> "Price | None":
        """The newest price of the term that is in force at `now`."""
        return self.prices.filter(days=days, valid_from__lte=now).order_by("-valid_from", "-pk").first()


class PriceQuerySet(models.QuerySet["Price"]):
    def in_force(self, now: datetime) -> "PriceQuerySet":
        """One row a card and term: the newest that began by `now`."""
        newest = Price.objects.filter(card=OuterRef("card"), days=OuterRef("days"), valid_from__lte=now)
        return self.filter(pk=Subquery(newest.order_by("-valid_from", "-pk").values("pk")[:1]))


class Price(models.Model):
    """A lot's price for a term from an instant on. A new price is a new row; history is never rewritten."""

    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="prices")
    days = models.PositiveSmallIntegerField()
    cents = models.PositiveBigIntegerField()
    valid_from = models.DateTimeField(default=timezone.now)
    example = models.BooleanField(default=False, help_text="shipped with the site and not yet reviewed")
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    objects = PriceQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["card", "days", "-valid_from"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["card", "days", "valid_from"], name="price_one_per_instant"),
            models.CheckConstraint(condition=Q(cents__gt=0), name="price_above_zero"),
            models.CheckConstraint(condition=Q(days__in=DAYS), name="price_term_known"),
        ]
        triggers: ClassVar = [
            pgtrigger.Protect(name="price_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.card_id} {self.days} days {self.cents} cents from {self.valid_from:%Y-%m-%d %H:%M}"


class StockChange(models.Model):
    """An operator's change of a card's stock: how many lots before and after, who, when, why."""

    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="stock_changes")
    old = models.PositiveIntegerField()
    new = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        triggers: ClassVar = [
            pgtrigger.Protect(name="stock_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.card_id}: {self.old} → {self.new}"


class QuoteQuerySet(models.QuerySet["Quote"]):
    def holding(self, now: datetime) -> "QuoteQuerySet":
        """Quotes whose lots nobody else may take at `now`."""
        return self.filter(expires_at__gt=now, released_at=None, order=None)


class Quote(models.Model):
    """Choices with the price they were given, and lots held for them until a time shown. Its id is its key."""

    id = models.CharField(primary_key=True, max_length=26, default=reference, editable=False)
    # Empty while nobody is signed in: then whoever holds the id may claim it, once.
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="quotes")
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="quotes")
    price = models.ForeignKey(Price, on_delete=models.PROTECT, related_name="+")
    days = models.PositiveSmallIntegerField()
    lots = models.PositiveSmallIntegerField()
    cards = models.PositiveSmallIntegerField()
    preparation = models.CharField(max_length=16, choices=Preparation.choices)
    preparation_note = models.TextField(blank=True, max_length=2000)
    unit_price_cents = models.PositiveBigIntegerField()
    total_cents = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)
    # The unpaid order that placing this quote takes the place of.
    changes = models.ForeignKey(
        "rental.Order", on_delete=models.PROTECT, null=True, blank=True, related_name="change_quotes"
    )

    objects = QuoteQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["card", "expires_at"])]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(lots__gte=1, lots__lte=10), name="quote_lots_1_to_10"),
            models.CheckConstraint(condition=Q(days__in=DAYS), name="quote_term_known"),
            models.CheckConstraint(
                condition=Q(total_cents=F("unit_price_cents") * F("lots")), name="quote_total_is_price_times_lots"
            ),
        ]

    def __str__(self) -> str:
        return self.id

    def is_open(self, now: datetime) -> bool:
        """Still holding: in time, not given back, not yet an order."""
        return self.expires_at > now and self.released_at is None and not hasattr(self, "order")
