"""The run page: everything it shows, from a fixed number of queries whatever the run holds."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone

from common import formats
from pilots import items, shipped, vocabulary
from pilots.models import Evidence, Reread, Run, RunEvent, RunFile, Rung
from pilots.presenters import balance, criteria, measures, memory, verdict
from pilots.presenters.balance import Cell, Strip
from pilots.presenters.changes import Changes, changes
from pilots.presenters.first_error import FirstError, first_error
from pilots.presenters.ladder import Ladder, ladder
from pilots.presenters.machine import Machine, machine_of
from pilots.presenters.rows import STRAYS_SHOWN, IdRow, StrayRow, id_rows, refusals, stray_rows
from pilots.presenters.stages import StageTime, stage_times
from pilots.presenters.verdict import State

LATE_SECONDS = 30
# Rows in the page itself; the list of items has the others, page by page.
ROWS, ROWS_OF_MANY = 100, 50
TRIES = 100


@dataclass(frozen=True)
class Live:
    """The part of the page that changes while the run goes on."""

    run: Run
    kind: str
    state: State
    strip: Strip | None
    rows: list[IdRow]
    strays: list[StrayRow]
    stages: list[StageTime]
    machine: Machine
    now: datetime

    @property
    def age_seconds(self) -> int | None:
        """Since the host's last report, by our clock; None once nothing more is awaited."""
        told = self.run.last_report_at
        if told is None or self.run.outcome:
            return None
        return max(0, int((self.now - told).total_seconds()))

    @property
    def age_words(self) -> str:
        """In whole seconds, as the page's script counts on."""
        age = self.age_seconds or 0
        return f"{age}{formats.NBSP}s" if age < 90 else f"{age // 60}{formats.NBSP}min"

    @property
    def report_clock(self) -> str:
        told = self.run.last_report_at
        return formats.clock(told, seconds=True) if told else ""

    @property
    def outcome(self) -> vocabulary.Word:
        return vocabulary.outcome(self.run.outcome)

    @property
    def reached(self) -> vocabulary.Word:
        """The stage as it is; of an ended run the furthest, which is `verified` when it got there."""
        broke_off = self.run.outcome not in ("", "completed") or (self.run.outcome and not self.run.verified_at)
        return vocabulary.stage(self.run.reached if broke_off else self.run.stage)

    @property
    def polls(self) -> bool:
        return not self.run.is_final

    @property
    def is_late(self) -> bool:
        return (self.age_seconds or 0) >= LATE_SECONDS

    @property
    def quarter(self) -> int:
        return verdict.quarter(self.run)

    @property
    def progress(self) -> int:
        return verdict.counted(self.run)


@dataclass(frozen=True)
class RunPage:
    live: Live
    config: dict[str, Any]
    error: FirstError | None
    criteria: list[criteria.Row]
    ladder: Ladder
    changes: Changes | None
    files: list[RunFile]
    evidence: Evidence | None
    reviews: dict[str, int]
    tries: list[Run]
    memory: memory.OfRun | None

    @property
    def shown_rows(self) -> list[IdRow]:
        return self.live.rows[: ROWS if self.live.run.declared <= balance.TILES else ROWS_OF_MANY]

    @property
    def looked_at(self) -> int:
        return sum(self.reviews.get(word, 0) for word in ("right", "wrong", "unsure"))

    @property
    def verified_files(self) -> int:
        """Files of the try's own attempt, which our copy was compared in."""
        return sum(file.attempt == self.live.run.claimed_attempt for file in self.files)

    @property
    def freeze(self) -> RunFile | None:
        return next((file for file in self.files if file.name == "freeze.txt" and file.lines), None)

    @property
    def measured(self) -> list[measures.Measure]:
        return measures.of(self.live.run)

    @property
    def rate(self) -> str:
        """Items an hour while the program processed, plainly written for the term planner; empty when not measured."""
        seconds = next((stage.seconds for stage in self.live.stages if stage.code == "processing"), None)
        done = self.live.run.accepted + self.live.run.refused
        if not self.live.run.is_over or self.live.kind != "documents" or not seconds or not done:
            return ""
        return f"{done * 3600 / seconds:.2f}"

    @property
    def next_number(self) -> int:
        return max((run.number for run in self.tries if run.pilot_id == self.live.run.pilot_id), default=0) + 1


def etag(run: Run, language: str) -> str:
    """Changes when anything of the live part does, by the run's own row alone."""
    parts: Sequence[object] = (
        run.stage,
        run.outcome,
        run.attempt,
        run.accepted,
        run.refused,
        run.strays,
        run.steps,
        run.last_report_at,
        run.cancel_asked_at,
        run.checked_at,
        run.is_silent,
        run.host.is_silent if run.stage == "queued" else "",
        language,
    )
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def live(run: Run) -> Live:
    now = timezone.now()
    config = run.pilot.spec.config if run.pilot.spec else {}
    kind = str(config.get("kind", "documents"))
    most = balance.TILES if run.declared <= balance.TILES else ROWS_OF_MANY
    rows = id_rows(run, most) if kind == "documents" else []
    strays = stray_rows(items.strays(run)[:STRAYS_SHOWN]) if kind == "documents" else []
    events = RunEvent.objects.filter(run=run, kind__in=(RunEvent.Kind.STAGE, RunEvent.Kind.END))
    return Live(
        run=run,
        kind=kind,
        state=verdict.state(run, kind, now),
        strip=_strip(run, rows, strays) if kind == "documents" else None,
        rows=rows,
        strays=strays,
        stages=stage_times(run, events, now),
        machine=machine_of(run),
        now=now,
    )


def _strip(run: Run, rows: list[IdRow], strays: list[StrayRow]) -> Strip:
    return balance.strip(
        declared=run.declared,
        accepted=run.accepted,
        refused=run.refused,
        is_final=run.is_over,
        cells=cells_of(run, rows),
        strays=[row.stray for row in strays],
        stray_count=run.strays,
        base=reverse("run_items", args=[run.ref]) if run.declared > balance.TILES else "",
    )


def cells_of(run: Run, rows: Sequence[IdRow], base: str = "") -> list[Cell]:
    """A tile leads to its row; to the item's own page where the row is not in the page."""
    own = len(rows) > ROWS
    return [
        row.cell(reverse("run_item", args=[run.ref, row.id]) if own and at >= ROWS else f"{base}#{row.anchor}")
        for at, row in enumerate(rows)
    ]


def page(run: Run) -> RunPage:
    part = live(run)
    config = dict(run.pilot.spec.config) if run.pilot.spec else {}
    files = shipped.files(run)
    rungs = Rung.objects.filter(run=run, attempt=run.attempt)
    pilots = [pk for pk in (run.pilot_id, run.pilot.previous_id) if pk]
    tries = list(Run.objects.filter(pilot__in=pilots).defer("sheet", "manifest", "remaining", "verdicts")[:TRIES])
    return RunPage(
        live=part,
        config=config,
        error=first_error(run, files, part.strays, part.rows),
        criteria=criteria.rows(
            config,
            run.verdicts,
            sheet=run.sheet,
            peak_gpu_bytes=(run.facts.get("peaks") or {}).get("gpu_memory_bytes"),
            has_card=bool(part.machine.cards),
            reasons=refusals(part.rows),
        ),
        ladder=ladder(rungs),
        changes=changes(run, tries),
        files=files,
        evidence=newest_evidence(run),
        reviews=items.review_counts(run),
        tries=tries,
        memory=memory.of_run(run),
    )


def newest_evidence(run: Run) -> Evidence | None:
    """The newest archive, with what the last re-reading of this run's archives found, in one query."""
    own = Reread.objects.filter(evidence__run=OuterRef("run")).order_by("-pk")
    found = (
        Evidence.objects.filter(run=run)
        .annotate(
            reread_at=Subquery(own.values("at")[:1]),
            reread_files=Subquery(own.values("files")[:1]),
            reread_matches=Subquery(own.values("matches")[:1]),
            reread_difference=Subquery(own.values("difference")[:1]),
            reread_source=Subquery(own.values("source")[:1]),
        )
        .first()
    )
    if found is not None:
        found.run = run
    return found
