"""Every card, term and number of lots: chooser, quote, order, page and papers say one total and one number of cards."""

from typing import Any

import pytest
from django.utils import timezone

from common.formats import usd
from rental.catalogue import chooser
from rental.catalogue.prices import DAYS, LOTS
from rental.models import Card, Preparation, User
from rental.orders import ordering
from rental.orders.bought import bought, holds
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db
PREPARATIONS = list(Preparation.values)


@pytest.mark.parametrize("days", DAYS)
def test_all_say_the_same(days: int, catalogue: dict[str, Card], customer: User, settings: Any) -> None:
    settings.OPEN_QUOTES = settings.UNPAID_ORDERS = 10_000
    Card.objects.update(lots=10_000)
    client, now = signed_in(customer), timezone.now()
    for number, (card, lots) in enumerate((card, lots) for card in catalogue.values() for lots in LOTS):
        preparation = PREPARATIONS[number % len(PREPARATIONS)]
        choice: dict[str, Any] = {"card": card.slug, "days": days, "lots": lots, "preparation": preparation}
        summary = chooser.read({**choice, "note": "as it is"}, now).summary
        quote = ordering.quote(customer, note="as it is", **choice)
        order = ordering.place(customer, quote.pk)
        price = card.price_at(days, timezone.now())
        assert summary is not None
        assert price is not None
        total, cards = price.cents * lots, card.cards_per_lot * lots
        for one in (summary, quote, order, bought(order)):
            assert (one.total_cents, one.cards) == (total, cards), (choice, one)
        words = text_of(client.get(f"/orders/{order.code}/confirmation"))
        assert f"Total {usd(total)}".replace("\u00a0", " ") in words, choice
        assert holds(card.backend, cards).replace("\u00a0", " ") in words, choice
