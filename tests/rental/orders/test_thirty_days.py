"""A rental of 30 days at the second, over a change of the customer's clocks: every letter and every state."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from common.refusals import Refusal
from rental import tasks
from rental.delivery import handover, wiping
from rental.models import Letter, Order, User
from rental.orders import ordering, terms
from tests.rental.conftest import Place, show
from tests.rental.pages import signed_in, text_of

SECOND = timedelta(seconds=1)


def sweep() -> None:
    """What the sweep does for renting, letters apart from their sending."""
    for task in (tasks.lapse_orders, tasks.end_terms, tasks.write_letters):
        task(timezone.now())


def told(order: Order) -> list[str]:
    start = f"order:{order.code}:"
    rows = Letter.objects.filter(event__startswith=start).order_by("pk")
    return [event.removeprefix(start).split(":")[0] for event in rows.values_list("event", flat=True)]


@pytest.mark.parametrize(
    ("zone", "start", "first_end", "local"),
    [
        # The clocks go forward on 28 March, and back on 7 November.
        ("Europe/Paris", "2027-03-10T09:15:07.250000+00:00", "2027-04-09T09:15:07.250000+00:00", "11:15"),
        ("America/New_York", "2027-10-20T09:15:07.250000+00:00", "2027-11-19T09:15:07.250000+00:00", "4:15"),
    ],
)
def test_a_month(
    place: Place, put: Any, customer: User, staff: User, zone: str, start: str, first_end: str, local: str
) -> None:
    User.objects.filter(pk=customer.pk).update(time_zone=zone)
    customer.refresh_from_db()
    with time_machine.travel(datetime.fromisoformat(start) - timedelta(hours=3), tick=False) as clock:
        order = place(days=30)
        assert (order.state, told(order)) == ("placed", ["placed"])
        put(customer, order.total_cents * 2)
        clock.shift(timedelta(minutes=20))
        order = ordering.pay_from_balance(order, customer)
        assert (order.state, told(order)[1:]) == ("paid", ["paid"])
        clock.move_to(datetime.fromisoformat(start))
        order = handover.start_preparation(order, staff)
        show("host-1", order.card, order.cards)
        order = handover.hand_over(order, hosts=["host-1"], access="ssh x", by=staff)
        assert (order.state, order.delivered_at, told(order)[2:]) == ("delivered", timezone.now(), ["delivered"])
        end = datetime.fromisoformat(first_end)
        assert order.ends_at == end
        for hours, count in ((72, 1), (24, 2), (1, 3)):
            clock.move_to(end - timedelta(hours=hours) - SECOND)
            sweep()
            assert told(order)[3:].count("ending") == count - 1, f"not a second before {hours} hours"
            clock.shift(SECOND)
            sweep()
            sweep()
            assert told(order)[3:].count("ending") == count, f"{hours} hours before, once"
            if hours == 24:
                last = Letter.objects.filter(event__contains=":ending").latest("pk").text
                assert local in last, "the reader's own clock, after its change, beside UTC"
        clock.move_to(end - SECOND)
        sweep()
        order = ordering.extend(order, customer, seen_ends_at=end)
        later = end + timedelta(hours=720)
        assert (order.ends_at, told(order)[6:]) == (later, ["extended"])
        clock.move_to(end)
        sweep()
        order.refresh_from_db()
        assert order.state == "delivered"
        assert handover.reveal(order, customer) == "ssh x"
        clock.move_to(later - SECOND)
        sweep()
        order.refresh_from_db()
        assert (order.state, told(order)[7:]) == ("delivered", ["ending"])  # the nearest of those it slept through
        clock.move_to(later)
        with pytest.raises(Refusal, match="no_access"):
            handover.reveal(order, customer)
        sweep()
        sweep()
        order.refresh_from_db()
        assert (order.state, order.ended_at, told(order)[8:]) == ("ended", later, ["ended"])
        assert terms.end_due(timezone.now()) == 0
        clock.shift(timedelta(hours=2))
        wiping.record(order.hosts.get(), staff, method="erase")
        assert told(order)[9:] == ["wiped"]
        clock.shift(timedelta(days=60))
        sweep()
        assert len(told(order)) == 10, "nothing more is said of it"
        assert "secure erase" in text_of(signed_in(customer).get(f"/orders/{order.code}"))
        moves = [(move.old, move.new, move.at) for move in order.moves.all()]
        assert [move[1] for move in moves] == ["placed", "paid", "preparing", "delivered", "delivered", "ended"]
        assert moves[-1][2] - moves[3][2] == timedelta(hours=1440), "terms are hours"
