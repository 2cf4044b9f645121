"""A rung as a run page shows it: its words, and its verdict with a shape."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rental.guide.ladder import RUNGS, Rung

Text = str | Promise

# code → (shape, word)
RUNG_VERDICTS: dict[str, tuple[str, Text]] = {
    "passed": ("confirmed", _("passed")),
    "failed": ("stopped", _("failed")),
    "crashed": ("stopped", _("crashed")),
    "timeout": ("stopped", _("out of time")),
    "not_run": ("missing", _("not run")),
    "not_applicable": ("missing", _("does not apply")),
    "skipped": ("missing", _("not run")),
}


def rung(number: int, name: str = "") -> Rung:
    """The rung in words; one that this site does not know keeps the name its host gave it."""
    return RUNGS.get(number) or Rung(name or str(number), "", "")


def rung_verdict(code: str) -> tuple[str, Text]:
    return RUNG_VERDICTS.get(code, ("told", code))
