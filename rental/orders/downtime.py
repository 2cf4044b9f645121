"""What a time without the machine is worth: the published formula. No database, no clock.

credit = floor(price of a lot × time down of all lots ÷ time of the term), over all downtimes of an order together,
and never more than was charged.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

SHORTEST = timedelta(minutes=15)


@dataclass(frozen=True)
class Period:
    """So many lots did not work from an instant to another."""

    begins: datetime
    ends: datetime
    lots: int


def lot_time(periods: Iterable[Period]) -> timedelta:
    """The time down of all lots together. What overlaps counts once, with the larger number of lots.

    A period shorter than `SHORTEST` counts nothing.
    """
    counted = [period for period in periods if period.ends - period.begins >= SHORTEST]
    moments = sorted({moment for period in counted for moment in (period.begins, period.ends)})
    total = timedelta(0)
    for begin, end in itertools.pairwise(moments):
        lots = max((p.lots for p in counted if p.begins <= begin and end <= p.ends), default=0)
        total += (end - begin) * lots
    return total


def worth_cents(unit_price_cents: int, term: timedelta, periods: Iterable[Period]) -> int:
    """What all these periods are worth, rounded down to a cent."""
    return unit_price_cents * (lot_time(periods) // timedelta(microseconds=1)) // (term // timedelta(microseconds=1))


def credit_cents(
    unit_price_cents: int, term: timedelta, known: Iterable[Period], more: Period, *, credited: int, charged: int
) -> int:
    """What one more period adds to what was credited for those known; in all never more than was charged."""
    worth = min(worth_cents(unit_price_cents, term, [*known, more]), charged)
    return max(worth - credited, 0)
