"""Where each value of a JSON text stands, so that a problem can name its line; finds keys written twice."""

import json
import re
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_MAX_DEPTH = 64


@dataclass
class Positions:
    """Line of every value by its path, and the keys that occur twice in one object."""

    lines: dict[Path, int] = field(default_factory=dict)
    repeated: list[Path] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """The line of a path, or of its nearest ancestor."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


class TooDeep(ValueError):
    """The text nests deeper than any configuration needs."""


def locate(text: str) -> Positions:
    """Positions of a text that `json.loads` already accepted."""
    found = Positions()
    _value(text, 0, (), found, _LineCounter(text))
    return found


class _LineCounter:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def __call__(self, index: int) -> int:
        self._line += self._text.count("\n", self._at, index)
        self._at = index
        return self._line


def _skip(text: str, index: int) -> int:
    match = _SPACE.match(text, index)
    return match.end() if match else index


def _value(text: str, index: int, path: Path, found: Positions, line: _LineCounter) -> int:
    if len(path) > _MAX_DEPTH:
        raise TooDeep
    index = _skip(text, index)
    found.lines.setdefault(path, line(index))
    match text[index]:
        case "{":
            return _object(text, index + 1, path, found, line)
        case "[":
            return _array(text, index + 1, path, found, line)
        case '"':
            return json.decoder.scanstring(text, index + 1)[1]  # type: ignore[no-any-return,attr-defined]
    scalar = _SCALAR.match(text, index)
    return scalar.end() if scalar else index + 1


def _object(text: str, index: int, path: Path, found: Positions, line: _LineCounter) -> int:
    seen: set[str] = set()
    index = _skip(text, index)
    while text[index] != "}":
        key, after = json.decoder.scanstring(text, index + 1)  # type: ignore[attr-defined]
        if key in seen:
            found.repeated.append((*path, key))
        seen.add(key)
        found.lines[(*path, key)] = line(index)  # a key's line serves better than its value's
        index = _skip(text, _value(text, _skip(text, after) + 1, (*path, key), found, line))
        if text[index] == ",":
            index = _skip(text, index + 1)
    return index + 1


def _array(text: str, index: int, path: Path, found: Positions, line: _LineCounter) -> int:
    count = 0
    index = _skip(text, index)
    while text[index] != "]":
        index = _skip(text, _value(text, index, (*path, count), found, line))
        count += 1
        if text[index] == ",":
            index = _skip(text, index + 1)
    return index + 1
