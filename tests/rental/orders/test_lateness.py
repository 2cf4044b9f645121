"""The arithmetic of a late delivery, over all instants."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rental.orders.lateness import HOUR, first_end, hours_late

INSTANTS = st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))


@given(INSTANTS, st.timedeltas(timedelta(0), timedelta(days=40)))
def test_late_hours_cover_the_delay_and_never_an_hour_more(promised: datetime, delay: timedelta) -> None:
    hours = hours_late(promised, promised + delay)
    assert delay <= hours * HOUR < delay + HOUR


@given(INSTANTS, st.timedeltas(timedelta(0), timedelta(days=40)))
def test_what_comes_in_time_is_not_late(promised: datetime, early: timedelta) -> None:
    assert hours_late(promised, promised - early) == 0


@given(INSTANTS, st.sampled_from([72, 168, 720]), st.integers(0, 1000))
def test_a_term_is_never_shorter_than_it_was_bought(began: datetime, hours: int, late: int) -> None:
    assert first_end(began, timedelta(hours=hours), late) - began == timedelta(hours=hours + late)
