"""What went wrong before anything else did: a line of a log, or the first line or id that breaks the sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from pilots import shipped, vocabulary
from pilots.models import Run
from pilots.presenters import logs, problems
from pilots.presenters.rows import StrayRow
from pilots.presenters.text import visible

Text = str | Promise
AROUND = 5
RESULTS = "results.jsonl"


@dataclass(frozen=True)
class FirstError:
    sentence: Text
    place: Text
    file: str = ""
    line: int | None = None
    lines: Sequence[logs.Line] = ()
    total: int = 0
    text: str = ""

    @property
    def first(self) -> int:
        return self.lines[0].number if self.lines else 0

    @property
    def last(self) -> int:
        return self.lines[-1].number if self.lines else 0


def first_error(run: Run, strays: Sequence[StrayRow], before_missing: int | None) -> FirstError | None:
    """The log's first error where there is one; else the first thing that broke the sheet; None when all holds.

    `before_missing` is the line of the last result before the first missing id.
    """
    told = run.first_error
    if isinstance(told, Mapping) and told:
        return _of_log(run, told)
    if not run.is_over or run.holds:
        return None
    return _of_sheet(run, strays, before_missing)


def _place(run: Run, stage: str = "") -> str:
    fault = vocabulary.fault(run.fault)
    at = _("Stage reached: “%(stage)s”.") % {"stage": vocabulary.stage(stage or run.reached).word}
    return f"{fault} {at}" if fault else at


def _of_log(run: Run, told: Mapping[str, Any]) -> FirstError:
    text = visible(str(told.get("text") or ""))[:500]
    sentence: Text = (
        vocabulary.error(str(told.get("error_kind") or told.get("kind") or "")) or text or vocabulary.reason(run.reason)
    )
    place = _place(run, str(told.get("stage") or ""))
    name, line = str(told.get("file") or ""), told.get("line")
    if not isinstance(line, int):
        return FirstError(sentence, place, text="" if text == sentence else text)
    return _with_lines(run, name, line, FirstError(sentence, place, name, line, text=text))


def _with_lines(run: Run, name: str, line: int, error: FirstError, *, mark: bool = True) -> FirstError:
    try:
        path = shipped.path(run, name)
        lines = logs.lines_between(path, line - AROUND, line + AROUND, first_error=line if mark else None)
        total = logs.count_lines(path)
    except (Http404, OSError):
        return error
    return replace(error, lines=lines, total=total)


def _of_sheet(run: Run, strays: Sequence[StrayRow], before_missing: int | None) -> FirstError | None:
    found = problems.of_sheet(run.sheet)
    if not found:
        return None
    place = _("The logs hold no error: the program said nothing about it.") + " " + _place(run)
    sentence = _("%(what)s.") % {"what": found[0].clause}
    if found[0].code == "missing":
        if not counted(run):
            return FirstError(vocabulary.reason(run.reason), _place(run))
        # Nothing marks a line that is not there: the lines around its place are shown.
        error = FirstError(sentence, place, RESULTS, before_missing)
        return _with_lines(run, RESULTS, before_missing or 1, error, mark=False)
    line = strays[0].line if strays else None
    error = FirstError(sentence, place, RESULTS, line)
    return _with_lines(run, RESULTS, line, error) if line else error


def counted(run: Run) -> int:
    return run.accepted + run.refused
