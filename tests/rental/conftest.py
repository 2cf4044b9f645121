"""People, cards and money for the tests of renting."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from billing import ledger
from rental.accounts.people import make_customer
from rental.catalogue.book import load_examples
from rental.delivery import handover
from rental.models import Card, Order, User
from rental.orders import ordering


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    """Limits on sign-in and the last proof of the books belong to one test."""
    cache.clear()


@pytest.fixture
def catalogue(db: None) -> dict[str, Card]:
    load_examples()
    return {card.slug: card for card in Card.objects.all()}


def person(email: str, **fields: Any) -> User:
    user = make_customer(email, first_name="Ana", last_name="Lima", password="a long password 1").user
    for name, value in fields.items():
        setattr(user, name, value)
    user.save()
    return user


@pytest.fixture
def customer(db: None) -> User:
    return person("customer@example.org")


@pytest.fixture
def stranger(db: None) -> User:
    return person("stranger@example.org")


@pytest.fixture
def staff(db: None) -> User:
    return person("operator@example.org", is_staff=True)


@pytest.fixture
def put(staff: User) -> Callable[[User, int], None]:
    """Put cents on a customer's balance, by an operator's journal."""

    def act(customer: User, cents: int) -> None:
        key = f"test:{customer.pk}:{timezone.now().timestamp()}"
        ledger.adjust(customer, cents, key=key, by=staff, reason="for a test")

    return act


Place = Callable[..., Order]


@pytest.fixture
def place(catalogue: dict[str, Card], customer: User) -> Place:
    """An order of the customer, waiting for its payment."""

    def act(card: str = "h100", days: int = 3, lots: int = 1, who: User | None = None, **rest: Any) -> Order:
        who = who or customer
        preparation = rest.pop("preparation", "ubuntu")
        quote = ordering.quote(who, card=card, days=days, lots=lots, preparation=preparation, **rest)
        return ordering.place(who, quote.pk)

    return act


@pytest.fixture
def paid(place: Place, put: Callable[[User, int], None]) -> Place:
    """A paid order that waits for its machine."""

    def act(**choices: Any) -> Order:
        order = place(**choices)
        put(order.customer, order.total_cents)
        return ordering.pay_from_balance(order, order.customer)

    return act


@pytest.fixture
def deliver(place: Place, put: Callable[[User, int], None], staff: User) -> Place:
    """A delivered order on a host of its own."""

    def act(host: str = "host-1", who: User | None = None, **choices: Any) -> Order:
        order = place(who=who, **choices)
        put(order.customer, order.total_cents)
        order = ordering.pay_from_balance(order, order.customer)
        show(host, order.card, order.cards)
        return handover.hand_over(order, hosts=[host], access="ssh ana@203.0.113.7", by=staff)

    return act


DRIVER_WORDS = {
    "rtx-4090": ("NVIDIA GeForce RTX 4090", 25.3),
    "l40s": ("NVIDIA L40S", 45.0),
    "a100": ("NVIDIA A100-SXM4-80GB", 85.9),
    "h100": ("NVIDIA H100 80GB HBM3", 79.6),
    "h200": ("NVIDIA H200", 150.8),
    "b200": ("NVIDIA B200", 192.3),
    "mi300x": ("AMD Instinct MI300X OAM", 205.8),
    "cpu": ("Intel(R) Xeon(R) Processor", 0),
}


def show(host: str, card: Card, count: int, *, hours_ago: float = 0, **changed: Any) -> Any:
    """Let a host show cards, in the words of a real driver."""
    model, memory = DRIVER_WORDS[card.slug]
    facts = {"backend": card.backend, "model": model, "count": count, "memory_gb": memory, **changed}
    at = timezone.now() - timedelta(hours=hours_ago)
    return handover.record_card_proof(host_ref=host, facts={}, at=at, **facts)
