"""The list of pilots, the preflight report, and one pilot with its tries side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common import formats
from pilots import vocabulary
from pilots.models import Decision, Evidence, Pilot, Project, Run
from pilots.presenters import criteria, memory, places, verdict
from pilots.presenters.text import visible

Text = str | Promise
PAGE = 25
TRIES = 50


@dataclass(frozen=True)
class Line:
    pilot: Pilot
    tries: int
    last: Run | None
    shape: str
    word: Text
    sheet: str


@dataclass(frozen=True)
class Index:
    lines: list[Line]
    next: str
    is_first: bool


def index(pilots: QuerySet[Pilot], after: str) -> Index:
    """A page of pilots, each with its newest try; three queries."""
    rows = pilots.annotate(tries=Count("runs"), last_run=Max("runs__pk"))
    if after.isdecimal():
        rows = rows.filter(pk__lt=int(after[:18]))
    found = list(rows[: PAGE + 1])
    newest = Run.objects.filter(pk__in=[row.last_run for row in found]).defer("sheet", "manifest", "verdicts")
    runs = {run.pk: run for run in newest}
    lines = [_line(row, runs.get(row.last_run)) for row in found[:PAGE]]
    return Index(lines, str(found[PAGE - 1].pk) if len(found) > PAGE else "", not after)


def _line(pilot: Any, run: Run | None) -> Line:
    if run is None:
        is_draft = pilot.state == Pilot.State.DRAFT
        return Line(pilot, 0, None, "told", _("draft") if is_draft else _("not yet tried"), "")
    shape, word = verdict.short(run)
    return Line(pilot, pilot.tries, run, shape, word, sheet_in_short(run))


def sheet_in_short(run: Run) -> str:
    """`12 = 10 + 1 + 1`, or where it ended when there is nothing to add up."""
    if run.is_over and not verdict.counted(run):
        return _("ended at “%(stage)s”") % {"stage": vocabulary.stage(run.reached).word}
    return f"{formats.number(run.declared)} = " + " + ".join(
        formats.number(part) for part in (run.accepted, run.refused, run.missing)
    )


@dataclass(frozen=True)
class FindingRow:
    shape: str
    word: Text
    sentence: Text
    place: str
    message: str
    fix: Text
    is_english: bool


@dataclass(frozen=True)
class Report:
    rows: list[FindingRow]
    errors: int
    warnings: int
    criteria: list[criteria.Row]
    config: dict[str, Any]

    @property
    def is_healthy(self) -> bool:
        return not self.errors


ORDER = {"error": 0, "warning": 1}


def report(project: Project) -> Report:
    findings = sorted(project.findings, key=lambda finding: ORDER.get(finding.get("level", ""), 2))
    config = project.config or {}
    return Report(
        rows=[_finding(finding) for finding in findings],
        errors=sum(finding["level"] == "error" for finding in findings),
        warnings=sum(finding["level"] == "warning" for finding in findings),
        criteria=criteria.before(config) if config else [],
        config=config,
    )


def _finding(finding: dict[str, Any]) -> FindingRow:
    words = vocabulary.finding(finding["code"], visible(finding.get("message") or ""))
    shape, word = vocabulary.level(finding["level"])
    path, line = visible(finding.get("path") or ""), finding.get("line")
    message = visible(finding.get("message") or "")
    return FindingRow(
        shape=shape,
        word=word,
        sentence=words.sentence,
        place=f"{path}:{line}" if path and line else path,
        message="" if message == words.sentence else message,
        fix=words.fix,
        # A finding without words of its own is said by the library, in English.
        is_english=words.sentence in (message, finding["code"]),
    )


@dataclass(frozen=True)
class TryRow:
    run: Run
    shape: str
    word: Text
    sheet: str
    evidence: str
    minutes: float | None
    machine: str


@dataclass(frozen=True)
class PilotPage:
    tries: list[TryRow]
    more: int
    criteria: list[criteria.Row]
    decisions: Sequence[Decision]
    places: list[places.Place]
    spec_sha256: str
    config: dict[str, Any]
    memory: memory.OfPilot | None

    @property
    def next_number(self) -> int:
        return self.tries[0].run.number + 1 if self.tries else 1

    @property
    def is_running(self) -> bool:
        return any(not row.run.outcome for row in self.tries)

    @property
    def can_decide(self) -> bool:
        return any(row.evidence for row in self.tries)

    @property
    def decision(self) -> Decision | None:
        return next((row for row in self.decisions if row.superseded_at is None), None)


def tries_of(pilot: Pilot) -> tuple[list[TryRow], int]:
    """The newest tries with the hash of their newest evidence; two queries."""
    runs = list(
        Run.objects.filter(pilot=pilot).select_related("host").defer("sheet", "manifest", "verdicts")[: TRIES + 1]
    )
    hashes: dict[int, str] = {}
    for run_id, sha256 in Evidence.objects.filter(run__in=runs).order_by("pk").values_list("run_id", "sha256"):
        hashes[run_id] = sha256
    rows = []
    for run in runs[:TRIES]:
        shape, word = verdict.short(run)
        told = run.facts.get("minutes")
        rows.append(TryRow(run, shape, word, sheet_in_short(run), hashes.get(run.pk, ""), told, run.host.name))
    return rows, max(0, len(runs) - TRIES)


def page(pilot: Pilot, user: Any) -> PilotPage:
    tries, more = tries_of(pilot)
    spec = pilot.spec
    return PilotPage(
        tries=tries,
        more=more,
        criteria=criteria.before(spec.config) if spec else [],
        decisions=list(Decision.objects.filter(pilot=pilot).select_related("by")),
        places=places.of(user),
        spec_sha256=spec.sha256 if spec else "",
        config=dict(spec.config) if spec else {},
        memory=memory.of_pilot(pilot, [row.run for row in tries]),
    )
