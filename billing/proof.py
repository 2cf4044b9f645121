"""The ledger's proof: accounts, journals, postings, requests and receipts against each other, read only."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db import connection
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum, Window
from django.db.models.functions import Coalesce, Lag
from django.db.transaction import atomic

from billing.amounts import credited_cents, value_cents
from billing.ledger import body_hash
from billing.models import Account, Journal, PaymentRequest, Posting, Receipt
from billing.networks import NETWORKS

# The rules that the migrations put into the database: one that went missing is a difference too.
RULES: Final = {
    "postgresql": {
        "account_guard", "account_no_delete", "account_no_truncate", "journal_append_only", "journal_balanced",
        "journal_no_truncate", "posting_append_only", "posting_journal_balanced", "posting_moves_balance",
        "posting_no_truncate",
    },
    "sqlite": {
        "account_begins_at_zero", "account_guard", "account_no_delete", "journal_balanced", "journal_no_delete",
        "journal_no_update", "posting_balance_right", "posting_into_closed_journal", "posting_moves_balance",
        "posting_no_delete", "posting_no_update",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Something that does not add up: a stable code, what it is about, and both figures."""

    code: str
    subject: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.code} {self.subject}: expected {self.expected}, found {self.found}"


def differences() -> list[Difference]:
    """Everything that does not add up; empty when the ledger is proved."""
    outermost = not connection.in_atomic_block
    with atomic():
        # All questions are asked of one instant; a transaction around this has its own.
        if connection.vendor == "postgresql" and outermost:
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return [*_rules(), *_journals(), *_accounts(), *_chains(), *_receipts(), *_requests()]


def _rules() -> Iterator[Difference]:
    if connection.vendor == "postgresql":
        query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with connection.cursor() as cursor:
        cursor.execute(query)
        present = {row[0] for row in cursor.fetchall()}
    for name in sorted(RULES[connection.vendor] - present):
        yield Difference("rule_missing", name, "in force", "absent")


def _journals() -> Iterator[Difference]:
    """Each journal: all its lines, Σ = 0, and the body that its key stands for."""
    unbalanced = Journal.objects.annotate(found=Count("postings"), total=Coalesce(Sum("postings__cents"), 0)).filter(
        ~Q(found=F("lines")) | ~Q(total=0)
    )
    for journal in unbalanced.iterator():
        found = f"{journal.found} lines, sum {journal.total}"
        yield Difference("journal_unbalanced", journal.key, f"{journal.lines} lines, sum 0", found)
    lines: list[tuple[str, int]] = []
    rows = Posting.objects.order_by("journal_id", "id").values_list(
        "journal_id", "journal__key", "journal__kind", "journal__reference", "journal__by_id", "journal__reason",
        "journal__body_hash", "account__code", "cents",
    )  # fmt: skip
    before: tuple[object, ...] | None = None
    for *head, code, cents in rows.iterator(chunk_size=5000):
        if before is not None and tuple(head) != before:
            yield from _body(before, lines)
            lines = []
        before = tuple(head)
        lines.append((code, cents))
    if before is not None:
        yield from _body(before, lines)


def _body(head: tuple[object, ...], lines: list[tuple[str, int]]) -> Iterator[Difference]:
    _id, key, kind, reference, by_id, reason, digest = head
    found = body_hash(str(kind), lines, str(reference), by_id if isinstance(by_id, int) else None, str(reason))
    if found != digest:
        yield Difference("journal_changed", str(key), str(digest), found)


def _accounts() -> Iterator[Difference]:
    """Each customer's balance is the sum of its postings, and not below zero."""
    total = Posting.objects.filter(account=OuterRef("pk")).values("account").annotate(s=Sum("cents")).values("s")
    customers = Account.objects.filter(kind=Account.Kind.CUSTOMER).annotate(total=Coalesce(Subquery(total), 0))
    for account in customers.filter(~Q(balance_cents=F("total")) | Q(balance_cents__lt=0)).iterator():
        yield Difference("balance_wrong", account.code, str(account.total), str(account.balance_cents))
    everything = Posting.objects.aggregate(total=Sum("cents"))["total"] or 0
    if everything:
        yield Difference("ledger_unbalanced", "all accounts", "0", str(everything))


def _chains() -> Iterator[Difference]:
    """Each line's running balance follows from the line before it."""
    chained = Posting.objects.filter(account__kind=Account.Kind.CUSTOMER).annotate(
        before=Window(Lag("balance_after_cents", default=0), partition_by="account_id", order_by="id")
    )
    broken = chained.exclude(balance_after_cents=F("before") + F("cents"))
    for posting in broken.select_related("account").iterator():
        expected = posting.before + posting.cents
        subject = f"{posting.account.code} line {posting.pk}"
        yield Difference("balance_chain_broken", subject, str(expected), str(posting.balance_after_cents))


def _receipts() -> Iterator[Difference]:
    """What a receipt says it credited is what its journal gave its customer; and no credit without a receipt."""
    given = Posting.objects.filter(journal=OuterRef("journal"), account__customer=OuterRef("request__customer")).values(
        "cents"
    )[:1]
    rows = Receipt.objects.annotate(given=Coalesce(Subquery(given), 0))
    for receipt in rows.exclude(given=F("credited_cents")).iterator():
        yield Difference("receipt_credit_wrong", str(receipt), str(receipt.credited_cents), str(receipt.given))
    for journal in Journal.objects.filter(kind=Journal.Kind.CREDIT, receipt__isnull=True).iterator():
        yield Difference("credit_without_receipt", journal.key, "a confirmed receipt", "none")


def _requests() -> Iterator[Difference]:
    """The money confirmed for a request is credited at its rate to the cent; late money at the rate it came at."""
    confirmed = Receipt.objects.filter(state=Receipt.State.CONFIRMED, problem="", request__isnull=False)
    units: dict[str, int] = {}
    cents: dict[str, int] = {}
    for receipt in confirmed.select_related("rate").order_by("id").iterator():
        if receipt.late and receipt.rate is not None:
            decimals = NETWORKS[receipt.network].asset(receipt.asset).decimals
            worth = value_cents(receipt.units, receipt.rate.micro_usd, decimals)
            if worth != receipt.credited_cents:
                yield Difference("late_credit_wrong", str(receipt), str(worth), str(receipt.credited_cents))
            continue
        key = str(receipt.request_id)
        units[key] = units.get(key, 0) + receipt.units
        cents[key] = cents.get(key, 0) + receipt.credited_cents
    for request in PaymentRequest.objects.filter(receipts__state=Receipt.State.CONFIRMED).distinct().iterator():
        if request.pk not in units:
            continue
        worth = credited_cents(units[request.pk], request.due_units, request.amount_cents)
        if worth != cents[request.pk]:
            yield Difference("request_credit_wrong", f"{request} {request.pk}", str(worth), str(cents[request.pk]))
