"""Double entry, append-only: accounts, journals and their postings, in USD cents."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Account(models.Model):
    """A column of the ledger.

    Only a customer's account keeps its balance in the row: the database itself moves it with each posting and
    refuses a balance below zero. House accounts are summed when asked, so that no two customers wait for each other.
    """

    class Kind(models.TextChoices):
        CUSTOMER = "customer", _("customer's balance")
        SALES = "sales", _("sold orders")
        RECEIPTS = "receipts", _("coins received")
        ADJUSTMENTS = "adjustments", _("operators' adjustments")

    code = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    customer = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_account"
    )
    balance_cents = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(kind="customer", customer__isnull=False, balance_cents__gte=0)
                | (~Q(kind="customer") & Q(customer__isnull=True, balance_cents__isnull=True)),
                name="account_customer_never_below_zero",
            )
        ]

    def __str__(self) -> str:
        return self.code


class Journal(models.Model):
    """One thing that happened to money. Its postings are written before it, and none can be added after it."""

    class Kind(models.TextChoices):
        CREDIT = "credit", _("received and confirmed")
        CHARGE = "charge", _("paid for an order")
        REFUND = "refund", _("refunded")
        ADJUST = "adjust", _("adjusted by an operator")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    reference = models.CharField(max_length=80, blank=True, db_index=True)
    reason = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="journals_written"
    )
    lines = models.PositiveSmallIntegerField()
    body_hash = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(lines__gte=2), name="journal_two_lines_at_least"),
            models.CheckConstraint(
                condition=~Q(kind__in=["refund", "adjust"]) | ~Q(reason=""), name="journal_reason_where_wanted"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Posting(models.Model):
    """One line of a journal: cents that came to (+) or left (−) an account."""

    journal = models.ForeignKey(Journal, on_delete=models.PROTECT, related_name="postings")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="postings", db_index=False)
    cents = models.BigIntegerField()
    # What the customer's balance is after this line; null on house accounts.
    balance_after_cents = models.BigIntegerField(null=True, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["account", "-id"], name="posting_of_account")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=~Q(cents=0), name="posting_moves_something"),
            models.CheckConstraint(
                condition=Q(balance_after_cents__isnull=True) | Q(balance_after_cents__gte=0),
                name="posting_never_below_zero",
            ),
            models.CheckConstraint(
                condition=Q(balance_after_cents__isnull=True) | Q(balance_after_cents__gte=F("cents")),
                name="posting_balance_before_never_below_zero",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cents:+d} {self.account_id}"
