"""What was fixed before the launch against what was measured: met, missed, or not measured. Never from an exit code."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict

from pilots.spec.config import Config
from pilots.spec.sheet import holds

Word = Literal["met", "missed", "not_measured"]
_GIB: Final = 1024**3


class ResumeMeasured(TypedDict, total=False):
    """What the resume test found."""

    completed: bool  # all three processes ran to their end
    largest_difference: float | None  # over losses and tensors; None when they could not be compared
    first_difference: str | None  # e.g. "loss at step 12" or "model/layer.weight"


class Measured(TypedDict, total=False):
    """What a run measured beside its sheet; a key that is absent or None was not measured."""

    minutes: float | None  # of the program alone
    peak_gpu_memory_bytes: int | None
    updates: int | None  # steps in metrics.jsonl
    items_read: int | None  # training: the largest `items` a metrics line names, or the inputs counted
    checkpoints: int | None  # written
    checkpoint_loads: bool | None  # the newest one, loaded without executing code
    resume: ResumeMeasured | None


@dataclass(frozen=True)
class Verdict:
    """One criterion: its stable code, what was fixed, what was measured, and the word."""

    code: str
    fixed: Any
    measured: Any
    verdict: Word

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "fixed": self.fixed, "measured": self.measured, "verdict": self.verdict}


def judge(config: Config, sheet: Mapping[str, Any] | None, measured: Measured) -> list[Verdict]:
    """Every criterion that was fixed, in a fixed order; `sheet` is None where the kind has none or none was read."""
    rows = _documents(config, sheet) if config.kind == "documents" else _training(config, measured)
    return [*rows, *_limits(config, measured)]


def passed(verdicts: list[Verdict]) -> bool:
    """Whether all was measured and met: an unmeasured criterion proves nothing."""
    return bool(verdicts) and all(verdict.verdict == "met" for verdict in verdicts)


def _verdict(code: str, fixed: Any, measured: Any, met: bool) -> Verdict:
    if measured is None or (isinstance(measured, float) and math.isnan(measured)):
        return Verdict(code, fixed, None, "not_measured")
    return Verdict(code, fixed, measured, "met" if met else "missed")


def _documents(config: Config, sheet: Mapping[str, Any] | None) -> Iterator[Verdict]:
    criteria = config.criteria
    declared = sheet["declared"] if sheet else None
    yield _verdict("items", criteria.items, declared, declared == criteria.items)
    yield _verdict("sheet_holds", True, holds(sheet) if sheet else None, bool(sheet) and holds(sheet or {}))
    if criteria.categories:
        # where nothing was accepted, nothing was put in a category
        bad = len(sheet["bad_category"]) if sheet and sheet["accepted"] else None
        yield _verdict("categories", list(criteria.categories), bad, bad == 0)
    if criteria.must_refuse:
        refused = sheet["must_refuse"]["refused"] if sheet else None
        yield _verdict(
            "must_refuse", list(criteria.must_refuse), refused, len(refused or ()) == len(criteria.must_refuse)
        )
    if criteria.min_agreement is not None:
        share = sheet["agreement"]["share"] if sheet else None
        yield _verdict("min_agreement", criteria.min_agreement, share, _at_least(share, criteria.min_agreement))


def _training(config: Config, measured: Measured) -> Iterator[Verdict]:
    criteria, resume = config.criteria, config.resume
    items, updates = measured.get("items_read"), measured.get("updates")
    yield _verdict("items", criteria.items, items, _at_least(items, criteria.items))
    least = criteria.min_updates or 1
    yield _verdict("min_updates", least, updates, _at_least(updates, least))
    written, loads = measured.get("checkpoints"), measured.get("checkpoint_loads")
    yield _verdict("checkpoint_written", 1, written, _at_least(written, 1))
    yield _verdict("checkpoint_loads", True, False if written == 0 else loads, bool(loads))
    if resume is not None:
        found = measured.get("resume") or {}
        fixed = {"interrupt_at": resume.interrupt_at, "until": resume.until, "tolerance": resume.tolerance}
        yield _resume(fixed, found, resume.tolerance)


def _resume(fixed: dict[str, Any], found: ResumeMeasured, tolerance: float) -> Verdict:
    largest = found.get("largest_difference")
    if found.get("completed") is False:
        return Verdict("resume", fixed, dict(found), "missed")
    if largest is None:
        # runs that ended but differ in shape or names have no figure, only a first difference
        return Verdict(
            "resume", fixed, dict(found) or None, "missed" if found.get("first_difference") else "not_measured"
        )
    return Verdict("resume", fixed, dict(found), "met" if largest <= tolerance else "missed")


def _limits(config: Config, measured: Measured) -> Iterator[Verdict]:
    criteria = config.criteria
    if criteria.max_minutes is not None:
        minutes = measured.get("minutes")
        yield _verdict("max_minutes", criteria.max_minutes, minutes, _at_most(minutes, criteria.max_minutes))
    if criteria.max_gpu_memory_gb is not None:
        peak = measured.get("peak_gpu_memory_bytes")
        gigabytes = None if peak is None else round(peak / _GIB, 3)
        met = peak is not None and peak <= criteria.max_gpu_memory_gb * _GIB
        yield _verdict("max_gpu_memory_gb", criteria.max_gpu_memory_gb, gigabytes, met)


def _at_least(value: float | None, least: float) -> bool:
    return value is not None and value >= least


def _at_most(value: float | None, most: float) -> bool:
    return value is not None and value <= most
