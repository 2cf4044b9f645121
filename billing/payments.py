"""Asking for money, hearing that it was sent, and seeing it arrive: credit first, then the order pays itself."""

from datetime import datetime

from django.db.models import QuerySet

from billing.ledger import Customer
from billing.models import PaidNotice, PaymentRequest, Receipt


def ask(
    customer: Customer,
    *,
    reference: str,
    amount_cents: int,
    network: str,
    asset: str,
    until: datetime | None = None,
) -> PaymentRequest:
    raise NotImplementedError


def note_paid(request: PaymentRequest, transaction: str | None = None) -> PaidNotice:
    raise NotImplementedError


def record_receipt(
    *,
    network: str,
    transaction: str,
    output: int,
    address: str,
    amount: int,
    evidence: str,
    confirmed: bool,
    by: Customer | None,
    asset: str | None = None,
    at: datetime | None = None,
) -> Receipt:
    raise NotImplementedError


def close(reference: str) -> None:
    raise NotImplementedError


def requests_for(reference: str) -> QuerySet[PaymentRequest]:
    return PaymentRequest.objects.filter(reference=reference).select_related("address", "rate").order_by("-created_at")
