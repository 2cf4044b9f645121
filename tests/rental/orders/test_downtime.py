"""The published formula for time down: additive, overlaps once, never above what was charged."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rental.orders.downtime import SHORTEST, Period, credit_cents, lot_time, worth_cents

START = datetime(2027, 3, 1, 12, tzinfo=UTC)
TERM = timedelta(hours=72)


def period(begin: float, end: float, lots: int = 1) -> Period:
    return Period(START + timedelta(hours=begin), START + timedelta(hours=end), lots)


periods = st.lists(
    st.builds(
        lambda begin, length, lots: period(begin / 60, (begin + length) / 60, lots),
        st.integers(0, 70 * 60), st.integers(1, 120), st.integers(1, 10),
    ),
    max_size=8,
)  # fmt: skip


def test_figures() -> None:
    # 72.00 USD for 72 hours: an hour of a lot is a dollar.
    assert worth_cents(7200, TERM, [period(0, 1)]) == 100
    assert worth_cents(7200, TERM, [period(0, 1, lots=2)]) == 200
    assert worth_cents(7200, TERM, [period(0, 72, lots=3)]) == 3 * 7200
    assert worth_cents(7200, TERM, [period(0, 2), period(1, 3)]) == 300
    assert worth_cents(7200, TERM, [period(0, 2), period(1, 3, lots=2)]) == 100 + 400
    assert worth_cents(100, TERM, [period(0, 0.5)]) == 0  # two thirds of a cent: rounded down
    assert worth_cents(7200, TERM, [Period(START, START + SHORTEST, 1)]) == 25
    assert worth_cents(7200, TERM, [Period(START, START + SHORTEST - timedelta(seconds=1), 1)]) == 0


@given(periods)
def test_order_does_not_matter_and_repeats_add_nothing(found: list[Period]) -> None:
    assert lot_time(found) == lot_time(found[::-1]) == lot_time([*found, *found])


@given(periods, st.integers(1, 10**7))
def test_credits_one_by_one_are_the_worth_of_all(found: list[Period], cents: int) -> None:
    credited, known, charged = 0, [], cents * 10
    for one in found:
        more = credit_cents(cents, TERM, known, one, credited=credited, charged=charged)
        assert more >= 0
        credited, known = credited + more, [*known, one]
    assert credited == min(worth_cents(cents, TERM, found), charged)


@given(periods, st.integers(1, 10**7), st.integers(0, 10**6))
def test_never_more_than_was_charged(found: list[Period], cents: int, charged: int) -> None:
    for one in found:
        assert credit_cents(cents, TERM, found, one, credited=0, charged=charged) <= charged


@given(periods)
def test_apart_they_add_up(found: list[Period]) -> None:
    shifted = [Period(one.begins + timedelta(days=30), one.ends + timedelta(days=30), one.lots) for one in found]
    assert lot_time([*found, *shifted]) == 2 * lot_time(found)
