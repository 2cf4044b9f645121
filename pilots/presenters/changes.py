"""What changed since the try before: each factor with both values, and a warning when more than one did."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pilots.models import Run
from pilots.presenters.text import visible
from pilots.spec import factors
from pilots.spec.factors import Factor
from pilots.spec.words import FrozenSpec

Text = str | Promise
SHOWN = 40
FREEZE_BYTES = 1 << 20
# What a host measures anew each time says nothing of how it is made.
VOLATILE = {"disk_free_bytes", "hostname"}

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
    since: int
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


def of_factors(since: int, found: Sequence[Factor]) -> Changes:
    rows = [
        Row(GROUPS.get(factor.group, factor.group), visible(factor.name), _shown(factor.before), _shown(factor.after))
        for factor in found[:SHOWN]
    ]
    groups = [GROUPS.get(group, group) for group in factors.groups(found)]
    return Changes(since, rows, max(0, len(found) - SHOWN), groups)


def _shown(value: str | None) -> str:
    return visible(value)[:200] if value is not None else ""


def changes(run: Run, tries: Sequence[Run]) -> Changes | None:
    """Against the try before this one; None for a first try, or while one of the two has told nothing of itself."""
    earlier = [other for other in tries if other.number < run.number]
    if not earlier:
        return None
    previous = max(earlier, key=lambda other: other.number)
    if not (run.facts.get("machine") and previous.facts.get("machine")):
        return None
    return of_factors(previous.number, factors.changed(described(previous), described(run)))


def described(run: Run) -> dict[str, str]:
    """What may differ between two tries of one spec: packages and machine, as their host told of them."""
    told = run.facts.get("machine") or {}
    machine = {key: value for key, value in told.items() if key not in VOLATILE}
    # Both tries share the spec: nothing of it can differ.
    shared: FrozenSpec = {"schema": "", "config": {}, "manifest": [], "project_sha256": ""}
    return factors.describe(shared, freeze=_freeze(run), machine=machine)


def _freeze(run: Run) -> list[str]:
    path = run.folder / str(run.attempt) / "freeze.txt"
    try:
        with path.open("rb") as file:
            return file.read(FREEZE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
