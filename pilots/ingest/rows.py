"""Small helpers of the readers: batches, text that PostgreSQL takes, JSON objects out of lines, a host's times."""

import json
import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

from django.utils import timezone

T = TypeVar("T")
BATCH = 5_000
MOST_JSON = 64 * 1024  # bytes of one JSON value that become a row's; the file keeps all of it


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


def text(value: Any, most: int) -> str:
    """A text that any database takes, cut."""
    told = value if isinstance(value, str) else "" if value is None else str(value)
    return told[:most].replace("\0", "␀").encode("utf-8", "replace").decode()


def shown(line: bytes, most: int = 4_000) -> str:
    return text(line[: 4 * most].decode("utf-8", "replace"), most)


def objects(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines that are JSON objects; others say nothing that could be a row (their file keeps them)."""
    for number, line in lines:
        try:
            value = json.loads(line, parse_constant=lambda _word: None)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield number, value


def stored(value: Any) -> Any:
    """A JSON value that databases take (no NUL, no half of a Unicode pair, no infinity) and not too large for a row."""
    try:
        told = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        value = _finite(value)
        told = json.dumps(value, ensure_ascii=False)
    if len(told) > MOST_JSON:
        return {"cut": len(told)}
    if "\\u0000" in told or (not told.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in told)):
        clean = told.replace("\\u0000", "␀").encode("utf-8", "replace").decode()
        return json.loads(clean)
    return value


def _finite(value: Any) -> Any:
    """The same value with nothing in the place of what is no number."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def moment(value: Any) -> datetime:
    """A host's time, ISO 8601 or seconds; ours when it cannot be read or lies far in the future."""
    now = timezone.now()
    try:
        at = datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError):
        return now
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at if at < now + timedelta(days=1) else now


def figure(value: Any) -> float | int | None:
    """A finite number, or nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        return None
    return value


def whole(value: Any) -> int | None:
    number = figure(value)
    return int(number) if number is not None and abs(number) < 2**62 else None
