"""A customer's own ledger, to read and to take away: its lines, what the balance is made of, the statement as CSV."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.ledger import Customer
from billing.models import Journal, Posting
from billing.networks import NETWORKS
from common.formats import MINUS

Kind = Journal.Kind
# Reasons that the house itself writes, as their readers see them; an operator's own words stay as they are.
HOUSE_REASONS: Final = {"cancelled by its customer": gettext_lazy("cancelled by its customer")}
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True)
class Entry:
    """A line of the ledger as its customer reads it."""

    id: int
    at: datetime
    what: str
    reason: str
    source: str
    reference: str
    cents: int
    balance_cents: int


@dataclass(frozen=True)
class Term:
    """A term of the sum that a balance is."""

    sign: str
    cents: int
    words: str


def postings_of(customer: Customer) -> QuerySet[Posting]:
    return Posting.objects.filter(account__customer_id=customer.pk).select_related("journal__receipt")


def entry(posting: Posting, customer: Customer) -> Entry:
    journal = posting.journal
    receipt = getattr(journal, "receipt", None)
    code = {"code": journal.reference}
    match journal.kind:
        case Kind.CREDIT:
            facts = code | {"asset": receipt.asset, "network": NETWORKS[receipt.network].name} if receipt else code
            what, source = _("%(asset)s received on %(network)s for order %(code)s") % facts, "confirmed"
        case Kind.CHARGE:
            what, source = _("Order %(code)s paid") % code, "chose" if journal.by_id == customer.pk else "we"
        case Kind.REFUND:
            what, source = _("Order %(code)s refunded") % code, "chose" if journal.by_id == customer.pk else "we"
        case _kind:
            what, source = _("Adjusted by an operator"), "we"
    after = posting.balance_after_cents or 0
    reason = str(HOUSE_REASONS.get(journal.reason, journal.reason))
    return Entry(posting.pk, journal.at, what, reason, source, journal.reference, posting.cents, after)


def terms_of(customer: Customer) -> list[Term]:
    """What the balance is the sum of, a term for each kind of journal; received money always comes first."""
    rows = Posting.objects.filter(account__customer_id=customer.pk).values_list("journal__kind").annotate(Sum("cents"))
    cents: dict[str, int] = dict(rows)
    words = {
        Kind.CREDIT: _("received and confirmed"),
        Kind.CHARGE: _("paid for orders"),
        Kind.REFUND: _("refunded"),
        Kind.ADJUST: _("adjusted by an operator"),
    }
    return [
        Term(MINUS if cents.get(kind, 0) < 0 else "+", abs(cents.get(kind, 0)), text)
        for kind, text in words.items()
        if cents.get(kind) or kind == Kind.CREDIT
    ]


def csv_rows(customer: Customer) -> Iterator[list[str]]:
    """The statement, oldest first: a heading, then a line a posting. Amounts are plain numbers in USD."""
    yield [_("Time (UTC)"), _("What"), _("Order"), _("Reason"), _("Change in USD"), _("Balance in USD")]
    for posting in postings_of(customer).order_by("pk").iterator(chunk_size=2000):
        line = entry(posting, customer)
        at = f"{line.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        texts = [harmless(text) for text in (line.what, line.reference, line.reason)]
        yield [at, *texts, decimal(line.cents), decimal(line.balance_cents)]


def csv_lines(customer: Customer) -> Iterator[str]:
    """The statement as text, a line at a time; it begins with the mark by which spreadsheets know UTF-8."""
    writer = csv.writer(_Echo())
    yield "\ufeff"
    for row in csv_rows(customer):
        yield writer.writerow(row)


def harmless(text: str) -> str:
    """Text that a spreadsheet would read as a formula gets an apostrophe in front."""
    return f"'{text}" if text.startswith(FORMULA) else text


def decimal(cents: int) -> str:
    sign, cents = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{cents // 100}.{cents % 100:02d}"


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text
