"""A customer's balance as a sum: its parts, its ledger lines in words, and the statement to take home."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from billing.ledger import Balance, balance_of
from billing.models import Journal, Posting
from billing.networks import NETWORKS
from rental.models import User


@dataclass(frozen=True)
class Purse:
    """USD cents: what may be spent, what is only seen, and the four sums the balance is made of."""

    balance: Balance
    received: int
    paid: int
    refunded: int
    adjusted: int


@dataclass(frozen=True)
class Line:
    """A ledger line in words; `source` is one of the template tag's."""

    at: datetime
    what: str
    source: str
    cents: int
    after: int


def purse_of(user: User) -> Purse:
    sums = dict(postings(user).order_by().values_list("journal__kind").annotate(Sum("cents")))
    return Purse(
        balance=balance_of(user),
        received=sums.get(Journal.Kind.CREDIT, 0),
        paid=-sums.get(Journal.Kind.CHARGE, 0),
        refunded=sums.get(Journal.Kind.REFUND, 0),
        adjusted=sums.get(Journal.Kind.ADJUST, 0),
    )


def postings(user: User) -> "QuerySet[Posting]":
    """The customer's own postings, newest first."""
    return Posting.objects.filter(account__customer_id=user.pk).order_by("-pk")


def lines(rows: "QuerySet[Posting]") -> list[Line]:
    return [line(posting) for posting in rows.select_related("journal__receipt")]


def line(posting: Posting) -> Line:
    journal = posting.journal
    what, source = describe(journal)
    return Line(journal.at, what, source, posting.cents, posting.balance_after_cents or 0)


def describe(journal: Journal) -> tuple[str, str]:
    """What happened in a sentence, and who says it."""
    code = {"code": journal.reference}
    match journal.kind:
        case Journal.Kind.CREDIT:
            return received(journal), "confirmed"
        case Journal.Kind.CHARGE if ":extend:" in journal.key:
            return _("Order %(code)s extended") % code, "chose"
        case Journal.Kind.CHARGE:
            return _("Order %(code)s paid") % code, "chose"
        case Journal.Kind.REFUND:
            return _("Order %(code)s refunded") % code, "we"
        case _other:
            return _("Adjusted by an operator: %(reason)s") % {"reason": journal.reason}, "we"


def received(journal: Journal) -> str:
    receipt = getattr(journal, "receipt", None)
    if receipt is None:
        return _("Money received for order %(code)s") % {"code": journal.reference}
    facts = {"asset": receipt.asset, "network": NETWORKS[receipt.network].name}
    if receipt.late:
        return _("%(asset)s receipt on %(network)s, late money") % facts
    return _("%(asset)s receipt on %(network)s") % facts


def statement(all_lines: Iterable[Line]) -> str:
    """The ledger as CSV: times in ISO 8601, amounts with a point, texts that no spreadsheet takes for a formula."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    write([_("Time (UTC)"), _("What"), _("Change in USD"), _("Balance in USD")])
    for one in all_lines:
        write([one.at.strftime("%Y-%m-%dT%H:%M:%SZ"), text_cell(one.what), plain(one.cents), plain(one.after)])
    return out.getvalue()


def text_cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text


def plain(cents: int) -> str:
    """Cents as a plain decimal: `-390.00`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"
