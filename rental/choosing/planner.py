"""How long a rental must hold: install, checks, pilot, compute and export, with a margin, against the terms on sale."""

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Final

from rental.catalogue.prices import DAYS, hours_of

MB_IN_GB: Final = 1000


class Unusable(ValueError):
    """A figure that no plan can be made of."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


@dataclass(frozen=True)
class Work:
    """Hours and figures as a person gives them. `per_hour`, a measured rate, goes before `seconds` when it is there."""

    install: Fraction
    checks: Fraction
    pilot: Fraction
    items: int
    seconds: Fraction  # of one item on one card
    cards: int  # that really share the items
    export_gb: Fraction
    mb_per_second: Fraction
    margin: int  # percent
    per_hour: Fraction | None = None  # items an hour, all cards together


@dataclass(frozen=True)
class Plan:
    """Hours of each part, exact; `days` is the shortest term that holds them, None when no term does."""

    install: Fraction
    checks: Fraction
    pilot: Fraction
    compute: Fraction
    export: Fraction
    margin: Fraction
    days: int | None

    @property
    def work(self) -> Fraction:
        return self.install + self.checks + self.pilot + self.compute + self.export

    @property
    def hours(self) -> Fraction:
        return self.work + self.margin

    @property
    def spare(self) -> Fraction:
        """Hours of the term that stay free; negative: hours that no term on sale holds."""
        return Fraction(hours_of(self.days or max(DAYS))) - self.hours


def plan(work: Work) -> Plan:
    """The shortest term that holds all of it.

    Raises:
        Unusable: a figure below zero, no card, no speed of export, no rate.
    """
    for field in fields(work):
        value = getattr(work, field.name)
        if value is not None and value < 0:
            raise Unusable(field.name)
    if work.cards < 1:
        raise Unusable("cards")
    if work.export_gb and not work.mb_per_second:
        raise Unusable("mb_per_second")
    if work.per_hour == 0 and work.items:
        raise Unusable("per_hour")
    compute = work.items / work.per_hour if work.per_hour else Fraction(work.items) * work.seconds / work.cards / 3600
    export = work.export_gb * MB_IN_GB / work.mb_per_second / 3600 if work.export_gb else Fraction(0)
    needed = work.install + work.checks + work.pilot + compute + export
    margin = needed * work.margin / 100
    days = next((days for days in sorted(DAYS) if hours_of(days) >= needed + margin), None)
    return Plan(work.install, work.checks, work.pilot, Fraction(compute), Fraction(export), margin, days)
