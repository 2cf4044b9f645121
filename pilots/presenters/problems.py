"""What keeps a sheet from holding, in words: the verdict's reason, and what to do about it next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common import formats
from pilots.presenters.text import names

Text = str | Promise


@dataclass(frozen=True)
class Problem:
    """One reason why a run does not hold: a clause for the heading, what to do next, the ids it is about."""

    code: str
    clause: str
    next: Text
    ids: Sequence[Any] = ()


NAMED = 3  # ids named in a heading before "and n more"

# What the sheet's own lists say, gravest first: the key, and what to do about it.
SHEET: dict[str, Text] = {
    "missing": gettext_lazy(
        "Next: make the program refuse what it cannot handle, with a reason, instead of leaving it out."
    ),
    "invented": gettext_lazy("Next: let the program write lines for the ids it was given, and for nothing else."),
    "duplicated": gettext_lazy("Next: let the program write each id once; only the first line counts."),
    "malformed_lines": gettext_lazy("Next: let the program write one whole JSON object a line, and flush it."),
    "must_refuse_accepted": gettext_lazy("Next: look at this input: it was declared as one to refuse."),
    "bad_category": gettext_lazy("Next: let the program choose among the categories that were declared."),
    "without_reason": gettext_lazy("Next: let the program say why with every refusal."),
}


def clause(key: str, ids: Sequence[Any]) -> str:
    """One list of the sheet as a clause that names its first ids: `doc-07 is missing`."""
    count = len(ids)
    words = {
        "missing": ngettext("%(ids)s is missing", "%(ids)s are missing", count),
        "invented": ngettext("%(ids)s was never declared", "%(ids)s were never declared", count),
        "duplicated": ngettext("%(ids)s has more than one line", "%(ids)s have more than one line", count),
        "malformed_lines": ngettext(
            "line %(ids)s of the results cannot be read", "lines %(ids)s of the results cannot be read", count
        ),
        "must_refuse_accepted": ngettext(
            "%(ids)s was accepted and had to be refused", "%(ids)s were accepted and had to be refused", count
        ),
        "bad_category": ngettext(
            "%(ids)s has a category that is not allowed", "%(ids)s have categories that are not allowed", count
        ),
        "without_reason": ngettext(
            "%(ids)s was refused without a reason", "%(ids)s were refused without a reason", count
        ),
    }
    return words[key] % {"ids": names(ids, NAMED)}


# A missed criterion, as a clause.
MISSED: dict[str, Text] = {
    "items": gettext_lazy("the number of ids is not the one that was fixed"),
    "min_agreement": gettext_lazy("it agrees with too few expected answers"),
    "min_updates": gettext_lazy("the model was updated too few times"),
    "checkpoint_written": gettext_lazy("no checkpoint was written"),
    "checkpoint_loads": gettext_lazy("the checkpoint cannot be loaded"),
    "resume": gettext_lazy("the resumed training differs from the uninterrupted one"),
    "max_minutes": gettext_lazy("it took longer than was allowed"),
    "max_gpu_memory_gb": gettext_lazy("it needed more GPU memory than was allowed"),
}
UNMEASURED: Text = gettext_lazy("“%(criterion)s” was fixed and could not be measured")
# These verdicts repeat what the sheet's own lists say in more detail.
SAID_BY_SHEET = {"sheet_holds", "categories", "must_refuse"}
SEE_CRITERIA: Text = gettext_lazy(
    "Next: look at the criteria below, then change the program, its parameters or the machine."
)


def of_sheet(sheet: Mapping[str, Any] | None) -> list[Problem]:
    return [
        Problem(key, clause(key, sheet[key]), what_next, sheet[key])
        for key, what_next in SHEET.items()
        if sheet and sheet.get(key)
    ]


def of_verdicts(verdicts: Sequence[Mapping[str, Any]] | None, names: Mapping[str, Text]) -> list[Problem]:
    """Missed criteria, and fixed ones that nobody measured: an unmeasured criterion proves nothing."""
    problems = []
    for row in verdicts or ():
        code = row["code"]
        if code in SAID_BY_SHEET:
            continue
        if row["verdict"] == "missed":
            problems.append(Problem(code, str(MISSED.get(code, code)), SEE_CRITERIA))
        elif row["verdict"] == "not_measured":
            clause = str(UNMEASURED) % {"criterion": names.get(code, code)}
            problems.append(Problem(f"{code}_not_measured", clause, SEE_CRITERIA))
    return problems


def sentence(first: Problem, more: int) -> str:
    """`The pilot does not hold: doc-07 is missing.`"""
    if not more:
        return _("The pilot does not hold: %(why)s.") % {"why": first.clause}
    return ngettext(
        "The pilot does not hold: %(why)s, and %(n)s more reason.",
        "The pilot does not hold: %(why)s, and %(n)s more reasons.",
        more,
    ) % {"why": first.clause, "n": formats.number(more)}
