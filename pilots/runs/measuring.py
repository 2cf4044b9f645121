"""What a run measured beside its sheet, out of its own rows; what was not measured stays away."""

from collections.abc import Callable
from typing import Any, Final, cast

from pilots.ingest.rows import figure, text, whole
from pilots.models import Run, RunEvent
from pilots.spec.criteria import Measured


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _resume(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    first = value.get("first_difference")
    return {
        "completed": _flag(value.get("completed")),
        "largest_difference": figure(value.get("largest_difference")),
        "first_difference": text(first, 300) if first is not None else None,
    }


# What an agent may say that it measured, and how each is read: a word in a number's place is no measure.
AGENT_MEASURES: Final[dict[str, Callable[[Any], Any]]] = {
    "minutes": figure,
    "peak_gpu_memory_bytes": whole,
    "updates": whole,
    "items_read": whole,
    "checkpoints": whole,
    "checkpoint_loads": _flag,
    "resume": _resume,
}


def measured(run: Run) -> Measured:
    """The agent's own words first (a `measured` note), then what the shipped lines say."""
    found: dict[str, Any] = {
        "minutes": minutes(run),
        "peak_gpu_memory_bytes": run.facts.get("peaks", {}).get("gpu_memory_bytes"),
        "updates": run.steps or None,
        "items_read": run.facts.get("items_read"),
        "checkpoints": run.facts.get("checkpoints"),
    }
    told = run.facts.get("measured", {})
    for name, reader in AGENT_MEASURES.items():
        value = reader(told.get(name))
        if value is not None:
            found[name] = value
    return cast(Measured, {name: value for name, value in found.items() if value is not None})


def minutes(run: Run) -> float | None:
    """From the program's launch to its end, by the host's clock; None when either was not told."""
    events = RunEvent.objects.filter(run=run, attempt=run.claimed_attempt, kind=RunEvent.Kind.STAGE)
    at = {event.stage: event.at for event in events}
    begin, finish = at.get("launched") or at.get("processing"), at.get("collecting")
    if begin is None or finish is None or finish < begin:
        return None
    return round((finish - begin).total_seconds() / 60, 4)


def peak_gpu_memory(run: Run) -> int | None:
    """The peak alone, without a query: the agent's own word first, then the host's samples."""
    told = whole(run.facts.get("measured", {}).get("peak_gpu_memory_bytes"))
    peak: int | None = told if told is not None else (run.facts.get("peaks") or {}).get("gpu_memory_bytes")
    return peak
