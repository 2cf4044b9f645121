"""A peak of memory as an objective of a pilot: recorded beside its spec, measured by its runs."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots.models import MemoryObjective, Pilot
from rental.choosing.memory_page import LONGEST
from rental.choosing.memory_page import read as worksheet
from rental.models import User

# How many versions an objective reaches: from a draft to those made of it.
VERSIONS = 4


class Estimate(NamedTuple):
    low: int
    high: int
    worksheet: str


def estimate(data: Mapping[str, Any], now: Any) -> Estimate | None:
    """The worksheet's own range, computed again from what was entered; None when it cannot be computed."""
    page = worksheet(data, now)
    if page.sheet is None or not page.objective:
        return None
    return Estimate(page.sheet.low, page.sheet.high, page.objective)


def record(pilot: Pilot, found: Estimate, by: User) -> MemoryObjective:
    """Keep an estimate beside a pilot. A later one counts instead; none is ever edited, and no spec changes.

    Raises:
        Refusal: `no_range` for a range that is none.
    """
    if not 0 <= found.low <= found.high < 2**63 or not found.high or len(found.worksheet) > LONGEST:
        raise Refusal("no_range", _("This estimate is no range of memory."), status=422)
    return MemoryObjective.objects.create(
        pilot=pilot, low_bytes=found.low, high_bytes=found.high, worksheet=found.worksheet, by=by
    )


def of(pilot: Pilot) -> MemoryObjective | None:
    """The newest one of this pilot, or else of the newest version before it that has one; one query."""
    line = Q(pilot=pilot)
    for step in range(1, VERSIONS):
        line |= Q(**{f"pilot__{'__'.join(['versions'] * step)}": pilot})
    return MemoryObjective.objects.filter(line).order_by("-pilot_id", "-pk").first()
