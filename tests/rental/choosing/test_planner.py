"""Laws of the term planner: the shortest term that holds everything, never one that does not."""

from dataclasses import fields, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rental.catalogue.prices import DAYS, hours_of
from rental.choosing.planner import Unusable, Work, plan

hours = st.fractions(0, 200, max_denominator=60)
works = st.builds(
    Work,
    install=hours,
    checks=hours,
    pilot=hours,
    items=st.integers(0, 10**6),
    seconds=st.fractions(0, 100, max_denominator=10),
    cards=st.integers(1, 64),
    export_gb=st.fractions(0, 10**4, max_denominator=10),
    mb_per_second=st.fractions(1, 1000, max_denominator=10),
    margin=st.integers(0, 200),
    per_hour=st.one_of(st.none(), st.fractions(1, 10**5, max_denominator=10)),
)


@given(works)
def test_the_shortest_term_that_holds_all(work: Work) -> None:
    made = plan(work)
    assert made.hours == made.work + made.margin
    if made.days is None:
        assert made.hours > hours_of(max(DAYS))
        assert made.spare < 0
    else:
        assert made.hours <= hours_of(made.days)
        assert made.spare >= 0
        assert all(made.hours > hours_of(days) for days in DAYS if days < made.days)


@given(works, st.integers(1, 50), st.data())
def test_more_work_never_shortens_the_term(work: Work, more: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["install", "checks", "pilot", "items", "seconds", "export_gb", "margin"]))
    assert plan(replace(work, **{name: getattr(work, name) + more})).hours >= plan(work).hours
    for name in ("cards", "mb_per_second"):
        assert plan(replace(work, **{name: getattr(work, name) + more})).hours <= plan(work).hours


@given(works)
def test_a_measured_rate_replaces_the_guess(work: Work) -> None:
    measured = replace(work, per_hour=Fraction(100))
    assert plan(measured).compute == Fraction(work.items, 100)
    assert plan(replace(measured, seconds=Fraction(99))).compute == plan(measured).compute


def test_an_example_by_hand() -> None:
    work = Work(Fraction(2), Fraction(1), Fraction(1), 36_000, Fraction(6), 2, Fraction(72), Fraction(20), 50)
    made = plan(work)
    assert (made.compute, made.export, made.margin) == (30, 1, Fraction(35, 2))
    assert made.days == 3
    assert plan(replace(work, items=360_000)).days == 30
    assert plan(replace(work, items=3_600_000)).days is None


@pytest.mark.parametrize("name", [field.name for field in fields(Work)])
def test_less_than_nothing_is_refused(name: str) -> None:
    work = Work(Fraction(2), Fraction(1), Fraction(1), 10, Fraction(6), 2, Fraction(72), Fraction(20), 50, Fraction(9))
    with pytest.raises(Unusable) as refused:
        plan(replace(work, **{name: -1}))
    assert refused.value.field == name
    if name in ("cards", "mb_per_second", "per_hour"):
        with pytest.raises(Unusable, match=name):
            plan(replace(work, **{name: 0}))
