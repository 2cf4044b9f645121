"""What the preflight finds in a project folder, and how to fix it."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Finding(NamedTuple):
    sentence: Text
    fix: Text


FINDINGS: dict[str, Finding] = {}

# level → (shape, word)
LEVELS: dict[str, tuple[str, Text]] = {
    "error": ("stopped", _("must be fixed")),
    "warning": ("seen", _("look at it")),
    "note": ("told", _("to know")),
}


def finding(code: str, message: str = "") -> Finding:
    return FINDINGS.get(code) or Finding(message or code, "")


def level(code: str) -> tuple[str, Text]:
    return LEVELS.get(code, ("told", code))
