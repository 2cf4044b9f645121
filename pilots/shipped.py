"""Shipped files as a person reads them: which there are, ranges of a log, the lines around the first error."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from django.http import Http404

from pilots import storage
from pilots.host import wire
from pilots.models import Run, RunFile
from pilots.spec.first_error import clean
from pilots.spec.lines import numbered

MOST_TEXT = 2_000  # characters of one shown line


def files(run: Run) -> list[RunFile]:
    """Those of the newest attempt, then of earlier ones, in the wire's order of names."""
    rows = list(run.files.filter(held__gt=0))
    for row in rows:
        row.run = run
    return sorted(rows, key=lambda row: (-row.attempt, wire.FILES.index(row.name)))


def file(run: Run, name: str, attempt: int | None = None) -> RunFile:
    """The shipped file of this name in the newest attempt that has one; Http404 when there is none."""
    rows = run.files.filter(name=name, held__gt=0)
    row = (rows.filter(attempt=attempt) if attempt is not None else rows.order_by("-attempt")).first()
    if row is None:
        raise Http404
    row.run = run
    return row


def path(run: Run, name: str, attempt: int | None = None) -> Path:
    """Where the site keeps it; Http404 for a name that is no shipped file or was never shipped."""
    return file(run, name, attempt).disk_path


def lines(run: Run, name: str, *, start: int = 1, count: int = 200) -> tuple[list[tuple[int, str]], int]:
    """Numbered lines of a shipped text from `start` (negative: the last ones), controls made visible; and the total."""
    row = file(run, name)
    total = row.lines + (1 if row.parsed < row.held else 0)
    if start < 0:
        start = max(1, total + start + 1)
    kept: deque[tuple[int, str]] = deque(maxlen=count)
    for number, line in _numbered(row):
        if number >= start:
            kept.append((number, clean(line.decode("utf-8", "replace"))[:MOST_TEXT]))
            if len(kept) == count:
                break
    return list(kept), total


def _numbered(row: RunFile) -> Iterator[tuple[int, bytes]]:
    yield from numbered(storage.blocks(row.disk_path, 0, row.held))
