"""Small helpers of the readers: batches, text that PostgreSQL takes, JSON objects out of lines, a host's times."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

from django.utils import timezone

T = TypeVar("T")
BATCH = 5_000
_SUSPECT = re.compile(r"\\u0000|[\ud800-\udfff]")
MOST_JSON = 64 * 1024  # bytes of one JSON value that become a row's; the file keeps all of it


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


def text(value: Any, most: int) -> str:
    """A text that any database takes, cut."""
    told = value if isinstance(value, str) else "" if value is None else str(value)
    told = told[:most] if len(told) > most else told
    return told if told.isprintable() else told.replace("\0", "␀").encode("utf-8", "replace").decode()


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


def json_text(value: Any) -> str:
    """JSON that databases take (no NUL, no half of a Unicode pair, no infinity) and that is not too large for a row."""
    try:
        told = _told(value)
    except RecursionError:  # nested deeper than can be cleaned; the file keeps it
        told = json.dumps({"cut": 0})
    return told if len(told) <= MOST_JSON else json.dumps({"cut": len(told)})


def _told(value: Any) -> str:
    try:
        told = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_clean(value), ensure_ascii=False)
    return json.dumps(_clean(value), ensure_ascii=False) if _SUSPECT.search(told) else told


def stored(value: Any) -> Any:
    """The same as a value."""
    return json.loads(json_text(value))


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, str):
        return value.replace("\0", "␀").encode("utf-8", "replace").decode()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def moment(value: Any) -> datetime:
    """A host's time, ISO 8601 or seconds; ours when it cannot be read or lies far in the future."""
    now = timezone.now()
    try:
        at = datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else datetime.fromisoformat(value)
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return now
    return at if at < now + timedelta(days=1) else now


def figure(value: Any) -> float | int | None:
    """A finite number, or nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        return None
    return value


def whole(value: Any) -> int | None:
    number = figure(value)
    return int(number) if number is not None and abs(number) < 2**62 else None
