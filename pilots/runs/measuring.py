"""What a run measured beside its sheet, out of its own rows; what was not measured stays away."""

from typing import Any, cast

from pilots.models import Run, RunEvent
from pilots.spec.criteria import Measured

AGENT_MEASURES = (
    "minutes",
    "updates",
    "items_read",
    "checkpoints",
    "checkpoint_loads",
    "resume",
    "peak_gpu_memory_bytes",
)


def measured(run: Run) -> Measured:
    """The agent's own words first (its `end` event), then what the shipped lines say."""
    found: dict[str, Any] = {
        "minutes": minutes(run),
        "peak_gpu_memory_bytes": run.facts.get("peaks", {}).get("gpu_memory_bytes"),
        "updates": run.steps or None,
        "items_read": run.facts.get("items_read"),
        "checkpoints": run.facts.get("checkpoints"),
    }
    told = run.facts.get("measured", {})
    if isinstance(told, dict):
        found |= {name: told[name] for name in AGENT_MEASURES if told.get(name) is not None}
    return cast(Measured, {name: value for name, value in found.items() if value is not None})


def minutes(run: Run) -> float | None:
    """From the program's launch to its end, by the host's clock; None when either was not told."""
    events = RunEvent.objects.filter(run=run, attempt=run.claimed_attempt, kind=RunEvent.Kind.STAGE)
    at = {event.stage: event.at for event in events}
    begin, finish = at.get("launched") or at.get("processing"), at.get("collecting")
    if begin is None or finish is None or finish < begin:
        return None
    return round((finish - begin).total_seconds() / 60, 4)
