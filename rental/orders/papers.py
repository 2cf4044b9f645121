"""What the receipt of an order says of its money: every figure is a posting of the ledger. Reads, never writes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from billing.ledger import balance_of
from billing.models import Journal, Posting, Receipt
from billing.networks import NETWORKS
from common.formats import coin
from rental.models import Extension, Order
from rental.orders import arrivals


@dataclass(frozen=True)
class Entry:
    """One journal as its customer's account saw it; `cents` is below zero for what was charged."""

    at: datetime
    what: str
    reason: str
    journal: str
    cents: int


@dataclass(frozen=True)
class Coins:
    """Money that came for the order and was credited to the balance."""

    at: datetime
    amount: str
    network: str
    transaction: str
    cents: int


@dataclass(frozen=True)
class Paid:
    payment: Entry
    coins: list[Coins]
    rest_cents: int  # of the price, what was on the balance before
    after: list[Entry]
    net_cents: int  # charged in all, less what went back
    balance_cents: int


def paid(order: Order) -> Paid | None:
    """The order's payment and what followed; None while nothing was charged."""
    entries = list(_entries(order))
    if not entries:
        return None
    coins = list(_coins(order))
    came = sum(one.cents for one in coins)
    return Paid(
        payment=entries[0],
        coins=coins,
        rest_cents=max(-entries[0].cents - came, 0),
        after=entries[1:],
        net_cents=-sum(entry.cents for entry in entries),
        balance_cents=balance_of(order.customer).cents,
    )


def _entries(order: Order) -> Iterator[Entry]:
    """What was charged for the order and what went back, the payment first; credits of coins are apart."""
    rows = Posting.objects.filter(account__customer=order.customer, journal__reference=order.code)
    longer = {row.key for row in Extension.objects.filter(order=order).select_related("order")}
    for row in rows.exclude(journal__kind=Journal.Kind.CREDIT).select_related("journal").order_by("pk"):
        journal = row.journal
        what = _("Term extended") if journal.key in longer else _words(journal)
        # An operator's reason is told; a house word for what the line already says is not.
        reason = journal.reason if journal.by_id != order.customer_id else ""
        yield Entry(journal.at, what, reason, str(journal.pk), row.cents)


def _words(journal: Journal) -> str:
    if journal.kind == Journal.Kind.CHARGE:
        return _("Order paid")
    # The whole price goes back once and under its own key; whatever else came back was a credit.
    whole = journal.key == f"order:{journal.reference}:refund"
    return _("Refunded to the balance") if whole else _("Credited to the balance")


def _coins(order: Order) -> Iterator[Coins]:
    """Receipts credited up to the payment; what came later is on the balance and paid nothing of it."""
    rows = Receipt.objects.filter(request__reference__in=arrivals.codes_of(order.code), credited_cents__gt=0)
    for row in rows.filter(journal__at__lte=order.paid_at).select_related("journal").order_by("pk"):
        network = NETWORKS[row.network]
        amount = f"{coin(row.units, network.asset(row.asset).decimals)} {row.asset}"
        at = row.journal.at if row.journal else row.seen_at
        yield Coins(at, amount, network.name, row.transaction, row.credited_cents)
