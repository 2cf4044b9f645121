"""The first error in a program's output: not the last line it cried, but the one that all others follow from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pilots.spec.error_patterns import EXCEPTION, HARMLESS, HINTS, PATTERNS, SHELL, TRACEBACK

_TEXT: Final = 500
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


@dataclass(frozen=True)
class FirstError:
    """`line` counts from 1; `kind` is stable; `text` is the line itself, controls removed."""

    line: int
    kind: str
    text: str


def find(lines: Iterable[str]) -> FirstError | None:
    """The first error of an output, or None. Streams: only the lines of one open traceback are looked through."""
    opened = False  # inside a traceback: the answer is its last line, the exception's
    for number, raw in enumerate(lines, 1):
        line = clean(raw)
        if "Traceback" in line and TRACEBACK.match(line):
            opened = True
            continue
        if opened:
            # frames are indented; the first line at the margin is the exception (or a group's, behind "|")
            bare = line.lstrip(" |+-") if line.lstrip().startswith(("|", "+")) else line
            if bare and not bare[0].isspace() and not bare.startswith(("File ", "Traceback", "During handling")):
                return FirstError(number, _kind(bare, "exception"), bare[:_TEXT])
            if not line.strip() or line[0].isspace():
                continue
            opened = False
        if kind := _kind_outside(line):
            return FirstError(number, kind, line[:_TEXT])
    return None


def last_words(lines: Iterable[str]) -> FirstError | None:
    """The last line that says anything: what a program that ended with an error and no known mark of one leaves."""
    last: FirstError | None = None
    for number, raw in enumerate(lines, 1):
        if (line := clean(raw)).strip():
            last = FirstError(number, "last_words", line[:_TEXT])
    return last


def clean(line: str) -> str:
    """A line without colours, controls and its progress bar: what stands behind the last carriage return."""
    line = line.rstrip("\r\n")
    if line.isprintable():
        return line
    text = _ANSI.sub("", line)
    text = text.rsplit("\r", 1)[-1]
    return "".join(character for character in text if character == "\t" or character.isprintable())


def around(lines: Iterable[str], number: int, context: int = 5) -> list[tuple[int, str]]:
    """The lines around one, numbered, cleaned and cut."""
    kept: list[tuple[int, str]] = []
    for at, line in enumerate(lines, 1):
        if at > number + context:
            break
        if at >= number - context:
            kept.append((at, clean(line)[:_TEXT]))
    return kept


def _kind(line: str, otherwise: str) -> str:
    return next((kind for kind, pattern in PATTERNS if pattern.search(line)), otherwise)


def _kind_outside(line: str) -> str:
    if not any(hint in line for hint in HINTS) or HARMLESS.search(line):
        return ""
    if SHELL.match(line):
        return _kind(line, "shell")
    if EXCEPTION.match(line):
        return _kind(line, "exception")
    return _kind(line, "")
