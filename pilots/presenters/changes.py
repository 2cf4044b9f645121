"""What changed since the try before: each factor with both values, and a warning when more than one did."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common import formats
from pilots.models import Run
from pilots.presenters.text import visible
from pilots.spec import factors
from pilots.spec.factors import Factor

Text = str | Promise
SHOWN = 40

GROUPS: dict[str, Text] = {
    "program": gettext_lazy("the program"),
    "inputs": gettext_lazy("the inputs"),
    "parameters": gettext_lazy("the parameters"),
    "criteria": gettext_lazy("the criteria"),
    "references": gettext_lazy("the references"),
    "environment": gettext_lazy("the environment"),
    "machine": gettext_lazy("the machine"),
}


@dataclass(frozen=True)
class Row:
    group: Text
    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Changes:
    title: str
    was: str
    rows: list[Row]
    left: int
    groups: list[Text]

    @property
    def sentence(self) -> str:
        if not self.rows:
            return _("Nothing that we record changed: a difference comes from the program or from chance.")
        if len(self.groups) == 1:
            return _("One factor changed, so a difference can be put down to it.")
        return _("More than one factor changed, so no difference can be put down to one of them.")


def of_factors(previous: Run, run: Run, found: Sequence[Factor]) -> Changes:
    number = {"n": formats.number(previous.number)}
    same = previous.pilot_id == run.pilot_id
    was = _("in try %(n)s") % number if same else _("in try %(n)s of the version before") % number
    title = _("Changed since try %(n)s") % number if same else _("Changed since the version before") % number
    rows = [
        Row(GROUPS.get(factor.group, factor.group), visible(factor.name), _shown(factor.before), _shown(factor.after))
        for factor in found[:SHOWN]
    ]
    groups = [GROUPS.get(group, group) for group in factors.groups(found)]
    return Changes(title, was, rows, max(0, len(found) - SHOWN), groups)


def _shown(value: str | None) -> str:
    return visible(value)[:200] if value is not None else ""


def changes(run: Run, tries: Sequence[Run]) -> Changes | None:
    """Against the try before this one, of this pilot or of the version it came from; None for a first try.

    Each was described by its verification; a run that goes on is compared once it is judged.
    """
    own = [other for other in tries if other.pilot_id == run.pilot_id and other.number < run.number]
    before = own or [other for other in tries if other.pilot_id == run.pilot.previous_id]
    if not before or not run.facts.get("factors"):
        return None
    previous = max(before, key=lambda other: other.number)
    if not previous.facts.get("factors"):
        return None
    return of_factors(previous, run, factors.changed(previous.facts["factors"], run.facts["factors"]))
