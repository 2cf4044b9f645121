"""The waiting list: places in the order of joining, offers held once, nobody passes the line."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from common.refusals import Refusal
from rental.catalogue import stock
from rental.models import Card, Letter, Order, Quote, User, Waiting
from rental.orders import ordering, waiting
from tests.rental.conftest import Place, person
from tests.rental.orders.test_races import at_once
from tests.rental.pages import at_desk, signed_in, text_of


@pytest.fixture
def sold_out(place: Place, catalogue: dict[str, Card]) -> Callable[[], Order]:
    """The last lot of a card is somebody's order, still unpaid."""

    def act() -> Order:
        Card.objects.filter(slug="l40s").update(lots=1)
        return place(card="l40s", who=person("other@example.org"))

    return act


def l40s() -> Card:
    return Card.objects.get(slug="l40s")


def test_lots_that_come_free_are_offered_in_the_order_of_joining(
    sold_out: Any, customer: User, stranger: User, staff: User
) -> None:
    with time_machine.travel("2027-02-01T10:00:00+00:00", tick=False) as clock:
        order = sold_out()
        first = waiting.join(customer, l40s(), lots=1, days=3)
        second = waiting.join(stranger, l40s(), lots=1, days=7)
        assert waiting.join(customer, l40s(), lots=1, days=7).pk == first.pk  # the place stays, the wish changes
        assert (waiting.before(first), waiting.before(second)) == (0, 1)
        assert waiting.offer_due(timezone.now()) == 0
        ordering.cancel(order, order.customer, "")
        with pytest.raises(Refusal, match="no_stock"):
            ordering.quote(staff, card="l40s", days=3, lots=1, preparation="ubuntu")
        assert [waiting.offer_due(timezone.now()) for _sweep in range(3)] == [1, 0, 0]
        offer = Quote.objects.get(customer=customer)
        assert (offer.days, offer.expires_at - timezone.now()) == (7, timedelta(hours=4))
        assert Letter.objects.filter(event=f"waiting:{first.pk}:{offer.pk}").count() == 1
        clock.shift(timedelta(hours=4))
        assert waiting.offer_due(timezone.now()) == 1
        first.refresh_from_db()
        second.refresh_from_db()
        assert (first.outcome, second.quote.customer) == ("missed", stranger)
        ordering.place(stranger, second.quote.pk)
        waiting.offer_due(timezone.now())
        second.refresh_from_db()
        assert second.outcome == "taken"
        assert stock.free_lots(l40s(), timezone.now()) == 0


def test_who_wants_more_than_is_free_keeps_the_place(sold_out: Any, customer: User, stranger: User) -> None:
    order = sold_out()
    waiting.join(customer, l40s(), lots=2, days=3)
    waiting.join(stranger, l40s(), lots=1, days=3)
    ordering.cancel(order, order.customer, "")
    assert waiting.offer_due(timezone.now()) == 1
    assert Waiting.objects.exclude(quote=None).get().customer == stranger
    Card.objects.filter(slug="l40s").update(lots=3)
    assert waiting.offer_due(timezone.now()) == 1
    assert Waiting.objects.get(customer=customer).quote.lots == 2


def test_nobody_passes_the_second_in_line_either(sold_out: Any, customer: User, stranger: User, staff: User) -> None:
    sold_out()
    for who in (customer, stranger):
        waiting.join(who, l40s(), lots=1, days=3)
    Card.objects.filter(slug="l40s").update(lots=3)  # two lots come free, and two people wait for them
    with pytest.raises(Refusal, match="no_stock"):
        ordering.quote(staff, card="l40s", days=3, lots=1, preparation="ubuntu")
    Card.objects.filter(slug="l40s").update(lots=4)  # the third free lot is anybody's
    assert ordering.quote(staff, card="l40s", days=3, lots=1, preparation="ubuntu").lots == 1
    assert waiting.offer_due(timezone.now()) == 2


def test_who_waits_for_one_lot_passes_nobody_with_two(sold_out: Any, customer: User, stranger: User) -> None:
    sold_out()
    waiting.join(customer, l40s(), lots=1, days=3)
    waiting.join(stranger, l40s(), lots=1, days=3)
    Card.objects.filter(slug="l40s").update(lots=3)
    with pytest.raises(Refusal, match="no_stock"):
        ordering.quote(customer, card="l40s", days=3, lots=2, preparation="ubuntu")
    assert ordering.quote(customer, card="l40s", days=3, lots=1, preparation="ubuntu").lots == 1


def test_changing_ones_own_choice_takes_nothing_from_the_line(place: Place, customer: User, stranger: User) -> None:
    Card.objects.filter(slug="l40s").update(lots=2)
    order = place(card="l40s")
    held = ordering.quote(stranger, card="l40s", days=3, lots=1, preparation="ubuntu")
    waiting.join(person("third@example.org"), l40s(), lots=1, days=3)
    choice: dict[str, Any] = {"card": "l40s", "days": 7, "lots": 1, "preparation": "ubuntu"}
    assert ordering.quote(stranger, replaces=held.pk, **choice).days == 7
    Card.objects.filter(slug="l40s").update(lots=3)
    assert ordering.quote(customer, changes=order, **choice).days == 7
    with pytest.raises(Refusal, match="no_stock"):
        ordering.quote(customer, changes=order, **choice | {"lots": 2})


def test_nobody_waits_for_what_is_free(catalogue: Any, customer: User) -> None:
    with pytest.raises(Refusal, match="lots_free"):
        waiting.join(customer, l40s(), lots=1, days=3)
    for lots, days in ((0, 3), (11, 3), (1, 4)):
        with pytest.raises(Refusal):
            waiting.join(customer, l40s(), lots=lots, days=days)


def test_leaving_gives_the_held_lots_to_the_next(sold_out: Any, customer: User, stranger: User) -> None:
    order = sold_out()
    waiting.join(customer, l40s(), lots=1, days=3)
    waiting.join(stranger, l40s(), lots=1, days=3)
    ordering.cancel(order, order.customer, "")
    waiting.offer_due(timezone.now())
    assert waiting.leave(customer, l40s())
    assert not waiting.leave(customer, l40s())
    assert waiting.offer_due(timezone.now()) == 1
    assert Quote.objects.holding(timezone.now()).get().customer == stranger


def test_its_pages(sold_out: Any, customer: User, stranger: User, staff: User) -> None:
    sold_out()
    client = signed_in(customer)
    assert "/rent/wait/l40s?days=7" in client.get("/rent/").content.decode()
    assert client.post("/rent/wait/l40s", {"lots": "99", "days": "3"}).status_code == 409
    client.post("/rent/wait/l40s", {"lots": "1", "days": "3"})
    assert "0 people wait before you" in text_of(client.get("/rent/wait/l40s"))
    other = signed_in(stranger)
    other.post("/rent/wait/l40s", {"lots": "1", "days": "3"})
    assert "1 person waits before you" in text_of(other.get("/rent/wait/l40s"))
    assert "2 people" in text_of(at_desk(staff).get("/desk/"))
    client.post("/rent/wait/l40s", {"leave": "1"})
    assert "0 people wait before you" in text_of(other.get("/rent/wait/l40s"))
    assert client.get("/rent/wait/nothing").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_forty_sweeps_and_buyers_at_once_give_the_lot_once(sold_out: Any, customer: User, stranger: User) -> None:
    order = sold_out()
    waiting.join(customer, l40s(), lots=1, days=3)
    ordering.cancel(order, order.customer, "")

    def act(number: int) -> Any:
        if number % 2:
            return waiting.offer_due(timezone.now())
        return ordering.quote(stranger, card="l40s", days=3, lots=1, preparation="ubuntu").customer == customer

    answers = at_once(40, act)
    assert answers["1"] == 1, answers
    assert answers["no_stock"] == 20, answers
    assert Quote.objects.holding(timezone.now()).get().customer == customer
