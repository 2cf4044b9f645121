"""The books proved: billing's own proof, and every order against what the ledger charged for it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from billing import proof
from billing.models import Journal, Posting
from billing.proof import Difference
from rental.models import Downtime, Extension, Order, ProofRecord

EVERY = timedelta(hours=24)
LISTED = 20
UNCHARGED = (Order.State.PLACED, Order.State.CANCELLED, Order.State.LAPSED, Order.State.REFUNDED)


def differences() -> list[Difference]:
    """Everything that does not add up; empty when the books are proved."""
    return [*proof.differences(), *_orders()]


def _orders() -> Iterator[Difference]:
    """What a customer was charged for an order is its price and its extensions, less the credits for time down."""
    own = Posting.objects.filter(
        account__customer=OuterRef("customer"),
        journal__reference=OuterRef("code"),
        journal__kind__in=(Journal.Kind.CHARGE, Journal.Kind.REFUND),
    )
    more = Extension.objects.filter(order=OuterRef("pk"))
    down = Downtime.objects.filter(order=OuterRef("pk"))
    rows = Order.objects.annotate(
        charged=Value(0) - Coalesce(_sum(own, "journal__reference"), 0),
        extended=Coalesce(_sum(more, "order"), 0),
        credited=Coalesce(_sum(down, "order"), 0),
    )
    due_now = F("total_cents") + F("extended") - F("credited")
    owed = Q(state__in=UNCHARGED, charged=0) | (~Q(state__in=UNCHARGED) & Q(charged=due_now))
    wrong = rows.exclude(owed).order_by("pk")
    facts = wrong.values_list("code", "state", "total_cents", "extended", "credited", "charged")
    for code, state, total, extended, credited, charged in facts.iterator():
        due = 0 if state in UNCHARGED else total + extended - credited
        yield Difference("order_charge_wrong", code, str(due), str(charged))


def _sum(rows: Any, by: str) -> Subquery:
    total = rows.order_by().values(by).annotate(total=Sum("cents")).values("total")
    return Subquery(total, output_field=BigIntegerField())


def prove(now: datetime) -> ProofRecord:
    """Prove the books and keep the result."""
    found = differences()
    return ProofRecord.objects.create(at=now, count=len(found), lines=[str(one) for one in found[:LISTED]])


def latest() -> ProofRecord | None:
    return ProofRecord.objects.first()


def prove_due(now: datetime) -> int:
    """Prove once a day; how many differences were found now."""
    last = latest()
    return 0 if last is not None and last.at > now - EVERY else prove(now).count
