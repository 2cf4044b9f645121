"""Numbered lines out of blocks of bytes, in bounded memory whatever the line's length."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

MAX_LINE: Final = 1024 * 1024  # bytes; a longer line is cut to one byte more, which marks it as too long
BLOCK: Final = 1024 * 1024


class LineFeed:
    """Splits what arrives into numbered lines; the last one waits for its end."""

    def __init__(self, number: int = 0) -> None:
        self.number = number  # of the last complete line given out
        self._parts: list[bytes] = []
        self._held = 0

    def push(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Every line that this block completes, without its newline."""
        *complete, rest = data.split(b"\n")
        for line in complete:
            self.number += 1
            if self._held:
                self._keep(line)
                line = b"".join(self._parts)
                self._parts, self._held = [], 0
            yield self.number, line[: MAX_LINE + 1] if len(line) > MAX_LINE else line
        self._keep(rest)

    def end(self) -> Iterator[tuple[int, bytes]]:
        """The last line when nothing ended it: a program that was killed may leave half of one."""
        if self._held:
            self.number += 1
            line, self._parts, self._held = b"".join(self._parts), [], 0
            yield self.number, line

    def _keep(self, data: bytes) -> None:
        if data and self._held <= MAX_LINE:
            data = data[: MAX_LINE + 1 - self._held]
            self._parts.append(data)
            self._held += len(data)


def numbered(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a whole file given in blocks."""
    feed = LineFeed()
    for block in blocks:
        yield from feed.push(block)
    yield from feed.end()


def blocks(file: BinaryIO, size: int = BLOCK) -> Iterator[bytes]:
    """A file's content in blocks."""
    while block := file.read(size):
        yield block
