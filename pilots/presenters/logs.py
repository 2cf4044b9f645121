"""Pages of a log: lines by number, read from the file without holding it in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pilots.presenters.text import decoded

LINES_A_PAGE = 500
# A program may write a line without an end; the page shows its start and says that it was cut.
LINE_BYTES = 2_000
CHUNK = 1 << 20


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    is_first_error: bool = False
    is_cut: bool = False


@dataclass(frozen=True)
class LogPage:
    lines: list[Line]
    total: int
    size: int

    @property
    def first(self) -> int:
        return self.lines[0].number if self.lines else 0

    @property
    def last(self) -> int:
        return self.lines[-1].number if self.lines else 0

    @property
    def previous(self) -> int | None:
        """The line to open the page before this one with."""
        return max(1, self.first - LINES_A_PAGE) if self.first > 1 else None

    @property
    def next(self) -> int | None:
        return self.last + 1 if self.lines and self.last < self.total else None


def count_lines(path: Path) -> int:
    """Lines of a file, a last one without its end included."""
    total, tail = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            total += chunk.count(b"\n")
            tail = chunk[-1:]
    return total + (tail != b"\n")


def _skip(file: IO[bytes], lines: int) -> None:
    """Moves the file to the start of the line after `lines` of them."""
    while lines > 0:
        chunk = file.read(CHUNK)
        if not chunk:
            return
        found = chunk.count(b"\n")
        if found < lines:
            lines -= found
            continue
        at = -1
        for _ in range(lines):
            at = chunk.index(b"\n", at + 1)
        file.seek(at + 1 - len(chunk), 1)
        return


def _read(file: IO[bytes], start: int, stop: int) -> Iterator[tuple[int, bytes, bool]]:
    for number in range(start, stop + 1):
        raw = file.readline(LINE_BYTES)
        if not raw:
            return
        cut = len(raw) == LINE_BYTES and not raw.endswith(b"\n")
        rest = raw
        while cut and rest and not rest.endswith(b"\n"):
            rest = file.readline(CHUNK)
        yield number, raw.rstrip(b"\r\n"), cut


def lines_between(path: Path, start: int, stop: int, *, first_error: int | None = None) -> list[Line]:
    """The lines `start` to `stop`, both included, counted from 1."""
    start = max(1, start)
    with path.open("rb") as file:
        _skip(file, start - 1)
        return [Line(number, decoded(raw), number == first_error, cut) for number, raw, cut in _read(file, start, stop)]


def page_of(path: Path, line: int, *, first_error: int | None = None) -> LogPage:
    """The page that holds a line; a line after the end gives the last page."""
    total = count_lines(path)
    wanted = max(1, min(line, total))
    start = (wanted - 1) // LINES_A_PAGE * LINES_A_PAGE + 1
    lines = lines_between(path, start, start + LINES_A_PAGE - 1, first_error=first_error)
    return LogPage(lines, total, path.stat().st_size)
