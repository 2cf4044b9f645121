"""Many at once: one notice, one receipt, one credit, distinct addresses, and no order of locks that stops."""

from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from billing.models import PaidNotice, PaymentRequest, Receipt, ReceivingAddress
from billing.proof import differences
from common.refusals import Refusal
from rental.models import User
from tests.billing.conftest import PRICE, arrive, person, put
from tests.billing.crowd import crowd

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 40


@pytest.fixture
def customer(transactional_db: None) -> User:
    receiving.ensure_examples()
    rates.renew_examples(timezone.now())
    return person("customer")


@pytest.fixture
def olga(transactional_db: None) -> User:
    return person("olga", is_staff=True)


def ask(customer: User, reference: str = "A", network: str = "bitcoin", asset: str = "BTC") -> PaymentRequest:
    return payments.ask(customer, reference=reference, amount_cents=PRICE, network=network, asset=asset)


@pytest.mark.parametrize(("network", "asset"), [("bitcoin", "BTC"), ("monero", "XMR")])
def test_forty_orders_get_forty_addresses(customer: User, network: str, asset: str) -> None:
    people = [person(f"c{number}") for number in range(MANY)]
    found = crowd(MANY, lambda n: ask(people[n], f"R{n}", network, asset).address.address)
    assert len(set(found)) == MANY


def test_one_order_asked_forty_times_gets_one_address(customer: User) -> None:
    before = ReceivingAddress.objects.filter(network="bitcoin").count()
    found = crowd(MANY, lambda _n: ask(customer).pk)
    assert len(set(found)) == 1
    assert ReceivingAddress.objects.filter(network="bitcoin").count() == before + 1


def test_the_last_address_of_a_pool_is_given_once(customer: User) -> None:
    last = ReceivingAddress.objects.filter(network="solana").latest("id")
    ReceivingAddress.objects.filter(network="solana").exclude(pk=last.pk).update(taken_at=timezone.now())
    found = crowd(10, lambda n: ask(customer, f"R{n}", "solana", "USDC"))
    assert sum(isinstance(one, PaymentRequest) for one in found) == 1
    assert {one.code for one in found if isinstance(one, Refusal)} == {"no_address"}


def test_an_address_forced_on_a_second_request_is_refused(customer: User) -> None:
    first, second = ask(customer, "A"), ask(customer, "B")
    with pytest.raises(IntegrityError):
        PaymentRequest.objects.filter(pk=second.pk).update(address_id=first.address_id)


def test_forty_notices_are_one(customer: User) -> None:
    request = ask(customer)
    found = crowd(MANY, lambda _n: payments.note_paid(request, "ab" * 32).pk)
    assert len(set(found)) == 1
    assert PaidNotice.objects.count() == 1
    assert ledger.balance_of(customer) == ledger.Balance(0, 0)


def test_a_transaction_claimed_by_many_serves_one(customer: User) -> None:
    requests = [ask(customer, f"R{number}") for number in range(10)]
    found = crowd(10, lambda n: payments.note_paid(requests[n], "ab" * 32))
    assert sum(isinstance(one, PaidNotice) for one in found) == 1
    assert {one.code for one in found if isinstance(one, Refusal)} == {"transaction_claimed"}


def test_one_receipt_recorded_forty_times_credits_once(customer: User, olga: User) -> None:
    request = ask(customer)
    found = crowd(MANY, lambda _n: arrive(request, request.due_units, by=olga, transaction="ab" * 32).credited_cents)
    assert found == [PRICE] * MANY
    assert Receipt.objects.count() == 1
    assert ledger.balance_of(customer).cents == PRICE
    assert differences() == []


def test_forty_parts_at_once_credit_exactly_their_sum(customer: User, olga: User) -> None:
    request = ask(customer)
    part = request.due_units // MANY
    parts = [part] * (MANY - 1) + [request.due_units - part * (MANY - 1)]
    crowd(MANY, lambda n: arrive(request, parts[n], by=olga, transaction=f"{n:064x}"))
    request.refresh_from_db()
    assert (ledger.balance_of(customer).cents, request.state) == (PRICE, "covered")
    assert request.moves.filter(new="covered").count() == 1
    assert differences() == []


def test_receipts_charges_and_closing_at_once_wait_for_each_other_in_one_order(customer: User, olga: User) -> None:
    """Requests before accounts: a charge that closes its requests, and a receipt, never hold what the other wants."""
    from django.db.transaction import atomic

    put(customer, 10_000_000, olga)
    requests = [ask(customer, f"R{number}") for number in range(10)]

    def act(number: int) -> Any:
        request = requests[number % 10]
        if number % 2:
            return arrive(request, 5_000, by=olga, transaction=f"{number:064x}")
        with atomic():
            payments.close(request.reference)
            return ledger.charge(customer, 100, key=f"k{number}", reference=request.reference)

    results = crowd(MANY, act)
    assert not [one for one in results if isinstance(one, Exception)]
    assert differences() == []


def test_two_operators_at_once_confirm_once_and_never_alone(customer: User, olga: User, settings: Any) -> None:
    settings.TWO_PERSON_CENTS = 1
    oskar = person("oskar", is_staff=True)
    request = ask(customer)
    crowd(20, lambda n: arrive(request, request.due_units, by=(olga, oskar)[n % 2], transaction="ab" * 32))
    receipt = Receipt.objects.get()
    assert receipt.state == Receipt.State.CONFIRMED
    assert {receipt.vouched_by_id, receipt.confirmed_by_id} == {olga.pk, oskar.pk}
    assert ledger.balance_of(customer).cents == PRICE
