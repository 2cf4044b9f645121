"""People, sources and requests for the tests of money."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from billing.models import PaymentRequest, Receipt
from rental.models import User

PRICE = 1_300_00
_numbers = count(1)


def person(name: str, **fields: Any) -> User:
    return User.objects.create_user(f"{name}@example.org", "a long password", first_name=name, last_name="T", **fields)


@pytest.fixture
def customer(db: None) -> User:
    return person("customer")


@pytest.fixture
def stranger(db: None) -> User:
    return person("stranger")


@pytest.fixture
def olga(db: None) -> User:
    return person("olga", is_staff=True)


@pytest.fixture
def oskar(db: None) -> User:
    return person("oskar", is_staff=True)


@pytest.fixture
def sources(db: None) -> None:
    receiving.ensure_examples()
    rates.renew_examples(timezone.now())


Ask = Callable[..., PaymentRequest]


@pytest.fixture
def ask(customer: User, sources: None) -> Ask:
    def act(network: str = "bitcoin", asset: str = "BTC", **facts: Any) -> PaymentRequest:
        facts = {"reference": "7Q4M-2X9F", "amount_cents": PRICE} | facts
        return payments.ask(facts.pop("customer", customer), network=network, asset=asset, **facts)

    return act


def transaction_of(network: str) -> str:
    """A transaction id that no other test used."""
    number = next(_numbers)
    if network == "solana":
        from base58_bech32.base58 import b58encode

        return b58encode(number.to_bytes(64, "big").replace(b"\0", b"\1")).decode()
    return f"{'0x' if network == 'ethereum' else ''}{number:064x}"


def arrive(request: PaymentRequest, units: int, *, confirmed: bool = True, by: User | None, **facts: Any) -> Receipt:
    """Money at a request's address."""
    facts = {
        "transaction": transaction_of(request.network),
        "output": 0,
        "address": request.address.address,
        "evidence": "block 925114",
    } | facts
    return payments.record_receipt(network=request.network, amount=units, confirmed=confirmed, by=by, **facts)


def put(customer: User, cents: int, by: User) -> None:
    ledger.adjust(customer, cents, key=f"test:{next(_numbers)}", by=by, reason="for a test")
