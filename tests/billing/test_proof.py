"""The proof finds what was tampered with, past every rule, and names it."""

from typing import Any

import pytest
from django.db import connection

from billing import ledger
from billing.models import Account, Journal, Posting, Receipt
from billing.proof import RULES, differences
from rental.models import User
from tests.billing.conftest import Ask, arrive
from tests.database import rules_lifted


@pytest.fixture
def receipt(ask: Ask, customer: User, olga: User) -> Receipt:
    request = ask()
    receipt = arrive(request, request.due_units // 2, by=olga)
    ledger.charge(customer, 1_000, key="order:A", reference="A")
    assert differences() == []
    return receipt


def codes() -> set[str]:
    return {difference.code for difference in differences()}


def postings(**of: Any) -> Any:
    return Posting.objects.filter(account__kind="customer", **of)


TAMPERED: dict[str, tuple[Any, set[str]]] = {
    "a balance": (
        lambda r: Account.objects.filter(kind="customer").update(balance_cents=5),
        {"balance_wrong"},
    ),
    "a customer's line": (
        lambda r: postings(journal__kind="charge").update(cents=-900),
        {"journal_unbalanced", "journal_changed", "balance_wrong", "ledger_unbalanced", "balance_chain_broken"},
    ),
    "both lines": (
        lambda r: [p.journal.postings.update(cents=-p.cents) for p in postings(journal__kind="charge")],
        {"journal_unbalanced", "journal_changed", "balance_wrong", "ledger_unbalanced", "balance_chain_broken"},
    ),
    "a running balance": (
        lambda r: postings(journal__kind="credit").update(balance_after_cents=77_777),
        {"balance_chain_broken"},
    ),
    "a reason": (lambda r: Journal.objects.filter(kind="charge").update(reference="B"), {"journal_changed"}),
    "a receipt's credit": (
        lambda r: Receipt.objects.filter(pk=r.pk).update(credited_cents=1),
        {"receipt_credit_wrong", "request_credit_wrong"},
    ),
    "a receipt's units": (
        lambda r: Receipt.objects.filter(pk=r.pk).update(units=r.units * 2),
        {"request_credit_wrong"},
    ),
    "a receipt cut off": (
        lambda r: Receipt.objects.filter(pk=r.pk).update(journal=None),
        {"receipt_credit_wrong", "credit_without_receipt"},
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", TAMPERED)
def test_it_finds(what: str, receipt: Receipt) -> None:
    tamper, wanted = TAMPERED[what]
    with rules_lifted():
        tamper(receipt)
    assert codes() == wanted
    assert all(str(difference) for difference in differences())


@pytest.mark.django_db(transaction=True)
def test_a_missing_rule_is_a_difference(receipt: Receipt) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE billing_posting DISABLE TRIGGER posting_append_only")
            assert codes() == {"rule_missing"}
            cursor.execute("ALTER TABLE billing_posting ENABLE TRIGGER posting_append_only")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'posting_no_update'")
            (sql,) = cursor.fetchone()
            cursor.execute("DROP TRIGGER posting_no_update")
            assert codes() == {"rule_missing"}
            cursor.execute(sql)
    assert codes() == set()
    assert len(RULES[connection.vendor]) >= 10
