"""The lines that a run's sheet counts: those of the try it resumes, of earlier attempts, then its own."""

from collections.abc import Iterator

from pilots import storage
from pilots.models import Run, RunFile
from pilots.spec.lines import LineFeed
from pilots.spec.results import read_line

RESULTS = "results.jsonl"


def files(run: Run, name: str = RESULTS) -> list[RunFile]:
    """In the order of their lines."""
    before = files(run.resumes, name) if run.resumes else []
    own = list(run.files.filter(name=name, counts=True).order_by("attempt"))
    for row in own:
        row.run = run
    return before + own


def lines(run: Run) -> Iterator[bytes]:
    """Every counted line. What was cut off at the end of an earlier attempt counts only if it is whole."""
    sources = files(run)
    for row in sources:
        feed = LineFeed()
        for block in storage.blocks(row.disk_path, 0, row.held):
            for _number, line in feed.push(block):
                yield line
        last = row is sources[-1] and row.run.pk == run.pk
        for _number, line in feed.end():
            if last or read_line(line).said in ("accepted", "refused"):
                yield line
