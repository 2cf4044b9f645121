"""Shipped lines become rows: each file has its reader; one that has none is only counted."""

from collections.abc import Callable, Iterable
from typing import Final

from pilots import storage
from pilots.ingest import metrics, results, telling
from pilots.models import Run, RunFile
from pilots.spec.lines import LineFeed

Lines = Iterable[tuple[int, bytes]]  # numbered from 1
READERS: Final[dict[str, Callable[[Run, RunFile, Lines], None]]] = {
    "results.jsonl": results.read,
    "metrics.jsonl": metrics.read,
    "events.jsonl": telling.read_events,
    "diagnostic.jsonl": telling.read_rungs,
    "samples.jsonl": telling.read_samples,
    "checkpoints.jsonl": telling.read_checkpoints,
}


def read(run: Run, file: RunFile, end: int, *, last: bool = False) -> None:
    """Turn the bytes from `file.parsed` to `end` into rows, inside the caller's transaction.

    `end` lies behind a newline, or with `last` at the end of a file whose last line nothing ended.
    """
    reader = READERS.get(file.name)
    feed = LineFeed(file.lines)
    numbered = _lines(feed, file, end, last)
    if reader is not None:
        reader(run, file, numbered)
    for _rest in numbered:  # a reader that stopped early, or none: the lines are counted all the same
        pass
    file.parsed, file.lines = end, feed.number


def _lines(feed: LineFeed, file: RunFile, end: int, last: bool) -> Lines:
    for block in storage.blocks(file.disk_path, file.parsed, end):
        yield from feed.push(block)
    if last:
        yield from feed.end()
