"""What a host's diagnostic proves about its cards, for the room that sells them."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pilots.models import Host, Run, Rung
from rental.choosing import proofs as preparations
from rental.delivery import handover, matching

HOST, COMPUTE = 0, 5  # numbers of the rungs that a proof rests on


@dataclass(frozen=True)
class Shown:
    """Cards of one kind that were listed by the driver and, on a GPU, computed what the processor computes."""

    backend: str
    model: str
    count: int
    memory_gb: float  # of one card, decimal


def shown(rungs: list[Rung], facts: dict[str, Any]) -> list[Shown]:
    """A failed rung proves nothing at all; a GPU counts only as far as the compute rung really used it."""
    by_number = {rung.number: rung for rung in rungs}
    first = by_number.get(HOST)
    if first is None or first.verdict != "passed" or any(rung.verdict == "failed" for rung in rungs):
        return []
    listed = [card for card in first.facts.get("cards") or [] if isinstance(card, dict)]
    if not listed:
        return [Shown("cpu", processor(facts), 1, 0.0)]
    computed = by_number.get(COMPUTE)
    if computed is None or computed.verdict != "passed" or not computed.facts.get("gpu_proved"):
        return []
    if len(computed.facts.get("devices") or []) < len(listed):
        return []
    kinds = Counter((str(card["backend"]), str(card["model"]), int(card["memory_bytes"])) for card in listed)
    return [
        Shown(backend, model, count, round(size / 1e9, 1)) for (backend, model, size), count in sorted(kinds.items())
    ]


def driver(rungs: list[Rung]) -> str:
    """The driver's version as the first rung read it; empty where no card is listed."""
    for rung in rungs:
        for card in rung.facts.get("cards") or []:
            if isinstance(card, dict) and card.get("driver"):
                return str(card["driver"])[:60]
    return ""


def processor(facts: dict[str, Any]) -> str:
    """A CPU machine by its own words."""
    return f"{facts.get('platform') or 'CPU'}, {facts.get('cpus') or '?'} CPUs"[:120]


def keep(host: Host, rungs: list[Rung], at: datetime) -> list[dict[str, Any]]:
    """Tell the rental room; answers the cards on sale that were proved."""
    proved = []
    for kind in shown(rungs, host.facts):
        found = handover.record_card_proof(
            host_ref=host.name,
            backend=kind.backend,
            model=kind.model,
            count=kind.count,
            memory_gb=kind.memory_gb,
            facts={"rungs": {str(rung.number): rung.verdict for rung in rungs}, "driver": driver(rungs)},
            at=at,
        )
        proved += [{"card": proof.card.slug, "count": proof.count} for proof in found if proof.card]
    return proved


def keep_preparation(run: Run) -> bool:
    """Tell the rental room that a run's diagnostic passed on the card and the preparation that were ordered."""
    order = run.pilot.order
    rungs = list(run.rungs.filter(attempt=run.claimed_attempt))
    if order is None or not rungs:
        return False
    cards = [
        card
        for kind in shown(rungs, run.host.facts)
        for card in matching.cards_shown(kind.backend, kind.model, kind.memory_gb)
    ]
    verdicts = {rung.number: rung.verdict for rung in rungs}
    at = max(rung.reported_at for rung in rungs)
    return preparations.record(order, cards=cards, rungs=verdicts, run_ref=run.ref, at=at)
