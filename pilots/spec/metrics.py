"""A training's metrics.jsonl: steps, losses and data read, and how two runs of it compare step by step."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pilots.spec.lines import blocks, numbered
from pilots.spec.results import read_json

MAX_STEPS: Final = 5_000_000


@dataclass
class Metrics:
    """What the lines say. A step written again, as after a kill between two checkpoints, counts once: the last line."""

    losses: dict[int, float | None] = field(default_factory=dict)  # by step; None where a line has no finite loss
    items_read: int | None = None  # the largest `items` of any line
    malformed: list[int] = field(default_factory=list)
    last: dict[str, Any] | None = None

    @classmethod
    def of_file(cls, path: Path) -> "Metrics":
        """The metrics of a file; one that does not exist holds no line."""
        if not path.exists():
            return cls()
        with path.open("rb") as file:
            return cls.of_lines(numbered(blocks(file)))

    @classmethod
    def of_lines(cls, lines: Iterable[tuple[int, bytes]]) -> "Metrics":
        metrics = cls()
        for number, line in lines:
            metrics.feed(number, line)
        return metrics

    def feed(self, number: int, data: bytes) -> dict[str, Any] | None:
        """Take one line; its object, or None for a blank or a malformed one."""
        value, code = read_json(data, number)
        step = value.get("step") if isinstance(value, dict) else None
        if code or type(step) is not int or step < 0 or not isinstance(value, dict):
            if code != "blank" and len(self.malformed) < MAX_STEPS:
                self.malformed.append(number)
            return None
        if step in self.losses or len(self.losses) < MAX_STEPS:
            self.losses[step] = _figure(value.get("loss"))
        items = value.get("items")
        if type(items) is int:
            self.items_read = max(items, self.items_read or 0)
        self.last = value
        return value

    @property
    def updates(self) -> int:
        """Steps done; step 0, where there is one, is the state before the first update."""
        return sum(1 for step in self.losses if step > 0)


@dataclass(frozen=True)
class Difference:
    """How far two runs' losses lie apart: the largest difference, and the first step above the tolerance."""

    compared: int
    largest: float | None  # None where nothing could be compared
    first: str | None


def compare(
    whole: Mapping[int, float | None], resumed: Mapping[int, float | None], until: int, tolerance: float
) -> Difference:
    """Losses of steps 1 to `until`; a step that one run lacks is a difference too."""
    largest, first, compared = 0.0, None, 0
    for step in range(1, until + 1):
        before, after = whole.get(step), resumed.get(step)
        if before is None or after is None:
            first = first or f"step {step}: no loss in the {'whole' if before is None else 'resumed'} run"
            continue
        compared += 1
        apart = abs(before - after)
        largest = max(largest, apart)
        if apart > tolerance:
            first = first or f"step {step}: loss {before!r} and {after!r}"
    return Difference(compared, largest if compared == until else None, first)


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
