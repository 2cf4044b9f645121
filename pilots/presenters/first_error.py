"""What went wrong before anything else did: a line of a log, or the first line or id that breaks the sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common import formats
from pilots import vocabulary
from pilots.models import Run, RunFile
from pilots.presenters import logs, problems
from pilots.presenters.rows import IdRow, StrayRow
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


def first_error(
    run: Run, files: Sequence[RunFile], strays: Sequence[StrayRow], rows: Sequence[IdRow]
) -> FirstError | None:
    """The log's first error where there is one; else the first thing that broke the sheet; None when all holds."""
    told = run.first_error
    if isinstance(told, Mapping) and told:
        return _of_log(run, files, told)
    if not run.is_over or run.holds:
        return None
    return _of_sheet(run, files, strays, rows)


def _place(run: Run, stage: str = "") -> str:
    # A program that ended by itself and left a sheet that does not hold did so on its own account.
    fault = vocabulary.fault(run.fault or ("project" if run.outcome == "completed" else ""))
    at = _("Stage: “%(stage)s”.") % {"stage": vocabulary.stage(_stage_of_program(stage or run.reached)).word}
    return f"{fault} {at}" if fault else at


def _stage_of_program(stage: str) -> str:
    """What a program wrote, it wrote while it was processing, whenever it was found."""
    return "processing" if stage in ("collecting", "verified") else stage


def _of_log(run: Run, files: Sequence[RunFile], told: Mapping[str, Any]) -> FirstError:
    text = visible(str(told.get("text") or ""))[:500]
    sentence: Text = (
        vocabulary.error(str(told.get("error_kind") or told.get("kind") or "")) or text or vocabulary.reason(run.reason)
    )
    place = _place(run, str(told.get("stage") or ""))
    name, line = str(told.get("file") or ""), told.get("line")
    if not isinstance(line, int):
        return FirstError(sentence, place, text="" if text == sentence else text)
    return _with_lines(files, FirstError(sentence, place, name, line, text=text))


def _with_lines(files: Sequence[RunFile], error: FirstError, *, mark: bool = True) -> FirstError:
    """The error with the lines around it, out of our copy of the newest attempt that shipped the file."""
    file = next((file for file in files if file.name == error.file), None)
    if file is None:
        return error
    line = error.line or 1
    try:
        found = logs.lines_between(file.disk_path, line - AROUND, line + AROUND, first_error=line if mark else None)
        return replace(error, lines=found, total=logs.count_lines(file.disk_path))
    except OSError:
        return error


def _of_sheet(
    run: Run, files: Sequence[RunFile], strays: Sequence[StrayRow], rows: Sequence[IdRow]
) -> FirstError | None:
    """The earliest line that broke the sheet: a stray, a gap where an id has none, or a line that says too little."""
    found = problems.of_sheet(run.sheet)
    if not found:
        return None
    if found[0].code == "missing" and not run.accepted + run.refused:
        return FirstError(vocabulary.reason(run.reason), _place(run))
    place = _("The logs hold no error: the program said nothing about it.") + " " + _place(run)
    gap = _line_before_gap(rows) if found[0].code == "missing" else None
    if strays and (gap is None or strays[0].line <= gap):
        first = strays[0]
        words = {"name": first.name, "what": first.words, "n": formats.number(first.line)}
        sentence = _("Line %(n)s of the results, “%(name)s”: %(what)s.") % words
        return _with_lines(files, FirstError(sentence, place, RESULTS, first.line))
    sentence = _("%(what)s.") % {"what": found[0].clause}
    if found[0].code == "missing":
        # Nothing marks a line that is not there: the lines around its place are shown.
        error = FirstError(sentence, place, RESULTS, gap)
        return _with_lines(files, error, mark=False)
    line = next((row.line for row in rows if row.id == found[0].ids[0]), None)
    error = FirstError(sentence, place, RESULTS, line)
    return _with_lines(files, error) if line else error


def _line_before_gap(rows: Sequence[IdRow]) -> int | None:
    """The line of the last id before the first one without a line; None when the rows at hand have no gap."""
    last = 0
    for row in rows:
        if row.line is None:
            return last or None
        last = row.line
    return None
