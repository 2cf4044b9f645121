"""What a host tells beside results: events, rungs of the diagnostic, samples of the machine, checkpoints."""

from collections.abc import Iterable
from typing import Any, Final

from pilots.ingest.rows import batches, figure, moment, objects, stored, text
from pilots.models import Run, RunEvent, RunFile, Rung
from pilots.runs import moves

Lines = Iterable[tuple[int, bytes]]
HOST_KINDS: Final = ("stage", "note", "first_error", "end")
# A sample's figure of one card → the name of its peak. What was never measured has no peak.
CARD_PEAKS: Final = {
    "memory_used_bytes": "gpu_memory_bytes",
    "utilisation_percent": "gpu_utilisation_percent",
    "temperature_c": "gpu_temperature_c",
    "power_w": "gpu_power_w",
}
AGENT_FACTS: Final = {"measured": "measured", "facts": "ended"}  # in an event → in the run's facts
MACHINE_PEAKS: Final = {"rss_bytes": "rss_bytes", "cpu_percent": "cpu_percent"}


def read_events(run: Run, file: RunFile, lines: Lines) -> None:
    for batch in batches(objects(lines)):
        events = [_event(run, file, value) for _, value in batch if value.get("kind") in HOST_KINDS]
        RunEvent.objects.bulk_create(events)
        for event in events:
            _heed(run, event)


def _event(run: Run, file: RunFile, value: dict[str, Any]) -> RunEvent:
    nested = value.get("data")
    rest = {key: item for key, item in value.items() if key not in ("at", "kind", "stage", "code", "data")}
    rest |= nested if isinstance(nested, dict) else {}
    return RunEvent(
        run=run,
        kind=value["kind"],
        at=moment(value.get("at")),
        attempt=file.attempt,
        stage=text(value.get("stage"), 12),
        code=text(value.get("code"), 60),
        data=stored(rest),
    )


def _heed(run: Run, event: RunEvent) -> None:
    """A stage goes forward only; the first error stays the first."""
    if event.kind == RunEvent.Kind.STAGE and event.stage in moves.TOLD:
        forward: dict[str, Any] = {}
        if moves.ORDER[event.stage] > moves.ORDER[run.stage]:
            forward["stage"] = event.stage
        if event.stage != Run.Stage.COLLECTING and moves.ORDER[event.stage] > moves.ORDER[run.reached]:
            forward["reached"] = event.stage
        if forward and not run.outcome:
            Run.objects.filter(pk=run.pk, outcome="").update(**forward)
            for name, value in forward.items():
                setattr(run, name, value)
    elif event.kind == RunEvent.Kind.FIRST_ERROR and run.first_error is None:
        told = {key: item for key, item in event.data.items() if key != "error_kind"}
        # A log is looked through once the program has ended: what it says happened before.
        stage = run.reached if event.stage in ("", Run.Stage.COLLECTING) else event.stage
        run.first_error = {**told, "kind": event.data.get("error_kind", ""), "stage": stage}
        Run.objects.filter(pk=run.pk).update(first_error=run.first_error)
    elif event.kind == RunEvent.Kind.NOTE and event.code == "sandbox":
        run.facts["machine"] = {**run.facts.get("machine", {}), "sandbox": text(event.data.get("sandbox"), 20)}
        Run.objects.filter(pk=run.pk).update(facts=run.facts)
    elif event.kind in (RunEvent.Kind.NOTE, RunEvent.Kind.END):
        # What the agent itself measured: the program's minutes, its peaks, a resume test, whether a checkpoint loads.
        found = {AGENT_FACTS[name]: told for name, told in event.data.items() if name in AGENT_FACTS and told}
        found = {name: told for name, told in found.items() if isinstance(told, dict)}
        if found:
            run.facts |= found
            Run.objects.filter(pk=run.pk).update(facts=run.facts)


def rung_of(value: dict[str, Any]) -> Rung:
    """A rung as the diagnostic writes it, without its host and run."""
    return Rung(
        number=min(max(int(figure(value.get("rung")) or 0), 0), 99),
        name=text(value.get("name"), 40),
        verdict=text(value.get("verdict"), 20),
        seconds=figure(value.get("seconds")),
        facts=stored(value["facts"]) if isinstance(value.get("facts"), dict) else {},
        proves=text(value.get("proves"), 1_000),
        does_not_prove=text(value.get("does_not_prove"), 1_000),
        next_step=text(value.get("next"), 1_000),
    )


def read_rungs(run: Run, file: RunFile, lines: Lines) -> None:
    for batch in batches(objects(lines)):
        rungs = [rung_of(value) for _, value in batch]
        for rung in rungs:
            rung.run, rung.host, rung.attempt = run, run.host, file.attempt
        Rung.objects.bulk_create(rungs)


def read_samples(run: Run, file: RunFile, lines: Lines) -> None:
    peaks = dict(run.facts.get("peaks", {}))
    count = 0
    for _, value in objects(lines):
        count += 1
        _raise(peaks, value, MACHINE_PEAKS)
        cards = value.get("gpu")
        for card in cards if isinstance(cards, list) else ():
            if isinstance(card, dict):
                _raise(peaks, card, CARD_PEAKS)
    if count:
        run.facts["peaks"] = peaks
        run.facts["samples"] = run.facts.get("samples", 0) + count
        Run.objects.filter(pk=run.pk).update(facts=run.facts)


def _raise(peaks: dict[str, float], value: dict[str, Any], names: dict[str, str]) -> None:
    for name, peak in names.items():
        number = figure(value.get(name))
        if number is not None:
            peaks[peak] = max(peaks.get(peak, number), number)


def read_checkpoints(run: Run, file: RunFile, lines: Lines) -> None:
    count = sum(1 for _ in objects(lines))
    if count:
        run.facts["checkpoints"] = run.facts.get("checkpoints", 0) + count
        Run.objects.filter(pk=run.pk).update(facts=run.facts)
