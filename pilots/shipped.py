"""Shipped files as a person reads them: which there are, ranges of a log, the lines around the first error."""

from pathlib import Path

from pilots.models import Run, RunFile


def files(run: Run) -> list[RunFile]:
    """Those of the newest attempt, then of earlier ones."""
    raise NotImplementedError


def path(run: Run, name: str, attempt: int | None = None) -> Path:
    """Where the site keeps it; Http404 for a name that is no shipped file or was never shipped."""
    raise NotImplementedError


def lines(run: Run, name: str, *, start: int = 1, count: int = 200) -> tuple[list[tuple[int, str]], int]:
    """Numbered lines of a shipped text from `start` (negative: the last ones), controls made visible; and the total."""
    raise NotImplementedError
