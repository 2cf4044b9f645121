"""The ledger: what may be written, what the database itself refuses, and what happens when many write at once."""

import uuid
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import DatabaseError

from billing import ledger
from billing.models import Account, Journal, Posting
from billing.proof import differences
from common.refusals import Refusal
from rental.models import User
from tests.billing.conftest import person, put
from tests.billing.crowd import crowd

postgres_only = pytest.mark.skipif(connection.vendor != "postgresql", reason="TRUNCATE is PostgreSQL's")


def test_a_charge_takes_and_a_refund_gives_back(customer: User, olga: User) -> None:
    put(customer, 5_000, olga)
    charged = ledger.charge(customer, 3_000, key="order:A", reference="A", by=customer)
    assert [(p.account.code, p.cents) for p in charged.postings.order_by("id")] == [
        (f"customer:{customer.pk}", -3_000),
        ("sales", 3_000),
    ]
    assert ledger.balance_of(customer) == ledger.Balance(2_000, 0)
    ledger.refund(customer, 3_000, key="order:A:refund", reference="A", by=olga, reason="not delivered")
    assert ledger.balance_of(customer).cents == 5_000
    assert differences() == []


def test_a_charge_above_the_balance_says_both_figures_and_takes_nothing(customer: User, olga: User) -> None:
    put(customer, 100, olga)
    with pytest.raises(Refusal) as refused:
        ledger.charge(customer, 101, key="k", reference="A")
    assert (refused.value.code, refused.value.data) == (
        "insufficient_balance",
        {"balance_cents": 100, "needed_cents": 101},
    )
    assert ledger.balance_of(customer).cents == 100
    assert not Journal.objects.filter(key="k").exists()


def test_somebody_without_an_account_has_nothing(customer: User) -> None:
    assert ledger.balance_of(customer) == ledger.Balance(0, 0)
    with pytest.raises(Refusal, match="insufficient_balance"):
        ledger.charge(customer, 1, key="k", reference="A")


def test_a_key_writes_once_and_another_body_is_refused(customer: User, stranger: User, olga: User) -> None:
    put(customer, 1_000, olga)
    put(stranger, 1_000, olga)
    first = ledger.charge(customer, 400, key="order:A", reference="A")
    assert ledger.charge(customer, 400, key="order:A", reference="A") == first
    for other in (
        lambda: ledger.charge(customer, 401, key="order:A", reference="A"),
        lambda: ledger.charge(customer, 400, key="order:A", reference="B"),
        lambda: ledger.charge(stranger, 400, key="order:A", reference="A"),
        lambda: ledger.adjust(customer, 400, key="order:A", by=olga, reason="?"),
    ):
        with pytest.raises(Refusal) as refused:
            other()
        assert (refused.value.code, refused.value.status) == ("key_reused", 409)
    assert (ledger.balance_of(customer).cents, ledger.balance_of(stranger).cents) == (600, 1_000)


def test_no_more_is_refunded_than_was_charged(customer: User, olga: User) -> None:
    put(customer, 1_000, olga)
    ledger.charge(customer, 600, key="order:A", reference="A")
    ledger.refund(customer, 500, key="r1", reference="A", by=olga, reason="part")
    with pytest.raises(Refusal) as refused:
        ledger.refund(customer, 101, key="r2", reference="A", by=olga, reason="more")
    assert refused.value.data == {"refundable_cents": 100}
    assert ledger.refund(customer, 500, key="r1", reference="A", by=olga, reason="part").key == "r1"


def test_an_adjustment_wants_a_reason_and_stops_at_zero(customer: User, olga: User) -> None:
    put(customer, 500, olga)
    for cents, reason, code in (
        (100, "  ", "reason_missing"),
        (0, "r", "nothing_to_adjust"),
        (-501, "r", "insufficient_balance"),
    ):
        with pytest.raises(Refusal, match=code):
            ledger.adjust(customer, cents, key=f"k{cents}", by=olga, reason=reason)
    ledger.adjust(customer, -500, key="down", by=olga, reason="r")
    assert ledger.balance_of(customer).cents == 0


@pytest.mark.parametrize("cents", [0, -1, 10**15])
def test_senseless_figures_are_no_journals(customer: User, cents: int) -> None:
    with pytest.raises(ValueError, match="cents must be between"):
        ledger.charge(customer, cents, key="k", reference="A")


# What somebody with a password of the database may try. `{customer}` is an account with 1,000 cents, `{journal}` and
# `{posting}` exist, `{sales}` is a house account.
ATTACKS = {
    "raise a balance": "UPDATE billing_account SET balance_cents = 999999 WHERE id = {customer}",
    "empty a balance": "UPDATE billing_account SET balance_cents = NULL WHERE id = {customer}",
    "give an account away": "UPDATE billing_account SET code = 'x' WHERE id = {customer}",
    "make it a house account": "UPDATE billing_account SET kind = 'sales' WHERE id = {customer}",
    "delete an account": "DELETE FROM billing_account WHERE id = {sales}",
    "begin with money": "INSERT INTO billing_account (code, kind, customer_id, balance_cents, created_at) "
    "VALUES ('y', 'customer', {stranger}, 5, '2026-01-01 00:00:00')",
    "begin below zero": "INSERT INTO billing_account (code, kind, customer_id, balance_cents, created_at) "
    "VALUES ('y', 'customer', {stranger}, -5, '2026-01-01 00:00:00')",
    "change a posting": "UPDATE billing_posting SET cents = cents + 1 WHERE id = {posting}",
    "change a balance after": "UPDATE billing_posting SET balance_after_cents = 7 WHERE id = {posting}",
    "delete a posting": "DELETE FROM billing_posting WHERE id = {posting}",
    "change a journal": "UPDATE billing_journal SET reason = 'other' WHERE id = '{journal}'",
    "delete a journal": "DELETE FROM billing_journal WHERE id = '{journal}'",
    "add to a closed journal": "INSERT INTO billing_posting (journal_id, account_id, cents, balance_after_cents) "
    "VALUES ('{journal}', {customer}, 50, 1050)",
}


@pytest.fixture
def names(customer: User, stranger: User, olga: User) -> dict[str, Any]:
    put(customer, 1_000, olga)
    journal = Journal.objects.get()
    raw = str(journal.pk) if connection.vendor == "postgresql" else journal.pk.hex
    return {
        "customer": Account.objects.get(customer=customer).pk,
        "sales": ledger.house(Account.Kind.SALES).pk,
        "stranger": stranger.pk,
        "journal": raw,
        "posting": journal.postings.get(account__customer=customer).pk,
    }


@pytest.mark.parametrize("name", ATTACKS)
def test_the_database_refuses(name: str, names: dict[str, Any]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ATTACKS[name].format(**names))
    assert differences() == []


@postgres_only
@pytest.mark.parametrize("table", ["billing_posting", "billing_journal", "billing_account"])
def test_the_database_refuses_to_truncate(table: str, names: dict[str, Any]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {table} CASCADE")


def _write(
    names: dict[str, Any], lines: list[tuple[str, int, int | None]], count: int, *, journal: bool = True
) -> None:
    """A journal by hand, past the ledger's own functions."""
    key = uuid.uuid4()
    for account, cents, after in lines:
        Posting.objects.create(journal_id=key, account_id=names[account], cents=cents, balance_after_cents=after)
    if journal:
        Journal(id=key, key=str(key), kind="charge", lines=count, body_hash="0" * 64).save(force_insert=True)


FORGERIES: dict[str, dict[str, Any]] = {
    "a sum above zero": {"lines": [("customer", 50, 1_050), ("sales", -40, None)], "count": 2},
    "one line": {"lines": [("customer", 50, 1_050)], "count": 1},
    "a line too few": {"lines": [("customer", 50, 1_050), ("sales", -50, None)], "count": 3},
    "no lines": {"lines": [], "count": 2},
    "no journal": {"lines": [("customer", 50, 1_050), ("sales", -50, None)], "count": 2, "journal": False},
    "a wrong balance after": {"lines": [("customer", 50, 2_000), ("sales", -50, None)], "count": 2},
    "a missing balance after": {"lines": [("customer", 50, None), ("sales", -50, None)], "count": 2},
    "a balance of the house": {"lines": [("customer", -50, 950), ("sales", 50, 50)], "count": 2},
    "below zero": {"lines": [("customer", -1_001, -1), ("sales", 1_001, None)], "count": 2},
    "nothing moved": {"lines": [("customer", 0, 1_000), ("sales", 0, None)], "count": 2},
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", FORGERIES)
def test_the_database_refuses_a_journal_with(name: str, names: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        _write(names, **FORGERIES[name])
    assert Journal.objects.count() == 1
    assert Account.objects.get(pk=names["customer"]).balance_cents == 1_000
    assert differences() == []


@pytest.mark.django_db(transaction=True)
def test_the_database_takes_an_honest_journal_by_hand(names: dict[str, Any]) -> None:
    with transaction.atomic():
        _write(names, [("customer", -50, 950), ("sales", 50, None)], 2)
    assert Account.objects.get(pk=names["customer"]).balance_cents == 950
    assert [d.code for d in differences()] == ["journal_changed"]  # its body hash was made up


@pytest.mark.django_db(transaction=True)
def test_forty_spend_at_once_and_exactly_as_often_as_there_is_money() -> None:
    customer, olga = person("customer"), person("olga", is_staff=True)
    put(customer, 1_000, olga)

    def spend(number: int) -> Any:
        return ledger.charge(customer, 70, key=f"spend:{number}", reference=f"O{number}")

    results = crowd(40, spend)
    assert sum(isinstance(result, Journal) for result in results) == 14
    assert {r.code for r in results if isinstance(r, Refusal)} == {"insufficient_balance"}
    assert ledger.balance_of(customer).cents == 1_000 - 14 * 70
    assert differences() == []


@pytest.mark.django_db(transaction=True)
def test_forty_with_one_key_write_one_journal() -> None:
    customer, olga = person("customer"), person("olga", is_staff=True)
    put(customer, 1_000, olga)
    results = crowd(40, lambda _n: ledger.charge(customer, 300, key="order:A", reference="A"))
    assert len({result.pk for result in results}) == 1
    assert ledger.balance_of(customer).cents == 700
    assert differences() == []


@pytest.mark.django_db(transaction=True)
def test_one_key_for_forty_customers_serves_one() -> None:
    olga = person("olga", is_staff=True)
    people = [person(f"c{number}") for number in range(40)]
    for one in people:
        put(one, 1_000, olga)
    results = crowd(40, lambda n: ledger.charge(people[n], 300, key="order:A", reference="A"))
    assert sum(isinstance(result, Journal) for result in results) == 1
    assert {r.code for r in results if isinstance(r, Refusal)} == {"key_reused"}
    assert sum(ledger.balance_of(one).cents for one in people) == 40 * 1_000 - 300
    assert differences() == []
