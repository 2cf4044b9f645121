"""What keeps a sheet from holding, in words: the verdict's reason, and what to do about it next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common import formats

Text = str | Promise


@dataclass(frozen=True)
class Problem:
    """One reason why a run does not hold: a clause for the heading, what to do next, the ids it is about."""

    code: str
    clause: str
    next: Text
    ids: Sequence[Any] = ()


def _named(one: str, many: str, ids: Sequence[Any]) -> str:
    """`doc-07 is missing`, or `7 ids are missing`: one id is named, more are counted."""
    return ngettext(one, many, len(ids)) % {"id": ids[0], "n": formats.number(len(ids))}


def missing(ids: Sequence[Any]) -> str:
    return _named("%(id)s is missing", "%(n)s ids are missing", ids)


def invented(ids: Sequence[Any]) -> str:
    return _named("%(id)s was never declared", "%(n)s ids were never declared", ids)


def duplicated(ids: Sequence[Any]) -> str:
    return _named("%(id)s has more than one line", "%(n)s ids have more than one line", ids)


def malformed(lines: Sequence[Any]) -> str:
    return _named("line %(id)s of the results cannot be read", "%(n)s lines of the results cannot be read", lines)


def bad_category(ids: Sequence[Any]) -> str:
    return _named("%(id)s has a category that is not allowed", "%(n)s ids have a category that is not allowed", ids)


def without_reason(ids: Sequence[Any]) -> str:
    return _named("%(id)s was refused without a reason", "%(n)s ids were refused without a reason", ids)


def must_refuse_accepted(ids: Sequence[Any]) -> str:
    return _named(
        "%(id)s was accepted and had to be refused", "%(n)s ids were accepted and had to be refused", ids
    )


# key of the sheet → its clause and what to do, gravest first.
SHEET: tuple[tuple[str, Callable[[Sequence[Any]], str], Text], ...] = (
    ("missing", missing, gettext_lazy("Make the program refuse what it cannot handle, with a reason, instead of leaving it out.")),
    ("invented", invented, gettext_lazy("Let the program write a line for the ids it was given, and for nothing else.")),
    ("duplicated", duplicated, gettext_lazy("Let the program write each id once; only the first line counts.")),
    ("malformed_lines", malformed, gettext_lazy("Let the program write one whole JSON object a line, and flush it.")),
    ("must_refuse_accepted", must_refuse_accepted, gettext_lazy("Look at this input: it was declared as one to refuse.")),
    ("bad_category", bad_category, gettext_lazy("Let the program choose among the categories that were declared.")),
    ("without_reason", without_reason, gettext_lazy("Let the program say why with every refusal.")),
)  # fmt: skip

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
SEE_CRITERIA: Text = gettext_lazy("Look at the criteria below, then change the program, its parameters or the machine.")


def of_sheet(sheet: Mapping[str, Any] | None) -> list[Problem]:
    return [
        Problem(key, clause(sheet[key]), what_next, sheet[key])
        for key, clause, what_next in SHEET
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
