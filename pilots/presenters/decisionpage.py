"""The page on which a person decides, and the one that keeps what was decided."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common import formats
from pilots import items, vocabulary
from pilots.models import Decision, Declared, Evidence, Pilot, Review, Run, Rung
from pilots.presenters import balance, criteria, verdict
from pilots.presenters.balance import Strip
from pilots.presenters.machine import Machine, machine_of
from pilots.presenters.pilotpage import TryRow, tries_of
from pilots.presenters.rows import id_rows, refusals
from pilots.presenters.runpage import cells_of
from pilots.presenters.text import names
from pilots.presenters.verdict import State
from rental.catalogue import chooser
from rental.models import Order

Text = str | Promise
WRONG_NAMED = 5


@dataclass(frozen=True)
class Coverage:
    """What a person looked at, of all that was declared."""

    right: int
    wrong: int
    unsure: int
    none: int
    declared: int
    wrong_ids: str

    @property
    def looked_at(self) -> int:
        return self.right + self.wrong + self.unsure


@dataclass(frozen=True)
class Choice:
    """A way on: what it says, and what it prefills."""

    value: str
    words: Text
    prefills: str
    href: str


@dataclass(frozen=True)
class DecisionPage:
    pilot: Pilot
    run: Run
    evidence: Evidence
    state: State
    strip: Strip | None
    criteria: list[criteria.Row]
    coverage: Coverage
    limits: list[str]
    tries: list[TryRow]
    choices: list[Choice]
    now: Any

    def choice(self, value: str) -> Choice | None:
        return next((choice for choice in self.choices if choice.value == value), None)


def figures(run: Run) -> str:
    """A hash of what a person looks at before deciding: it changes when a verdict is added, not when an archive is."""
    last = Review.objects.filter(run=run).aggregate(last=Max("pk"))["last"]
    return hashlib.sha256(repr((run.ref, run.holds, run.checked_at, last)).encode()).hexdigest()


def evidence_to_decide_on(pilot: Pilot, *, number: int | None = None, sha256: str = "") -> Evidence | None:
    """The newest archive of the newest try that has one, of the try asked for, or the archive of this hash."""
    rows = Evidence.objects.filter(run__pilot=pilot)
    rows = rows.select_related("run", "run__host", "run__pilot", "run__pilot__spec", "run__pilot__order__card")
    rows = rows.defer("run__pilot__spec__canonical").order_by("-run__number", "-pk")
    if sha256:
        return rows.filter(sha256=sha256).first()
    return rows.filter(run__number=number).first() if number else rows.first()


def page(pilot: Pilot, evidence: Evidence) -> DecisionPage:
    run = evidence.run
    config = run.pilot.spec.config if run.pilot.spec else {}
    kind = str(config.get("kind", "documents"))
    rows = id_rows(run, balance.TILES) if kind == "documents" else []
    machine = machine_of(run)
    table = criteria.rows(
        config,
        run.verdicts,
        sheet=run.sheet,
        peak_gpu_bytes=(run.facts.get("peaks") or {}).get("gpu_memory_bytes"),
        has_card=bool(machine.cards),
        reasons=refusals(rows),
    )
    if kind == "documents":
        table.append(_resume_row(run))
    now = timezone.now()
    coverage = coverage_of(run)
    tries, _more = tries_of(pilot)
    return DecisionPage(
        pilot=pilot,
        run=run,
        evidence=evidence,
        state=verdict.state(run, kind, now),
        strip=_strip(run, cells_of(run, rows, reverse("run", args=[run.ref]))) if kind == "documents" else None,
        criteria=table,
        coverage=coverage,
        limits=limits(run, machine, table, coverage),
        tries=tries,
        choices=choices(pilot, run, max((row.run.number for row in tries), default=0) + 1),
        now=now,
    )


def _strip(run: Run, cells: Sequence[balance.Cell]) -> Strip:
    return balance.strip(
        declared=run.declared,
        accepted=run.accepted,
        refused=run.refused,
        is_final=True,
        cells=cells,
        stray_count=run.strays,
        base=reverse("run", args=[run.ref]),
    )


def _resume_row(run: Run) -> criteria.Row:
    """Documents have no resume test; a try that finished another one shows that it works."""
    name, fixed = vocabulary.criterion("resume"), _("nothing fixed")
    if run.resumes_id:
        shape, word = vocabulary.verdict("measured")
        return criteria.Row("resume", name, fixed, _("this try finished an earlier one"), shape, word)
    shape, word = vocabulary.verdict("not_measured")
    return criteria.Row("resume", name, fixed, _("no try was stopped and finished"), shape, word)


def coverage_of(run: Run) -> Coverage:
    counts = items.review_counts(run)
    wrong: list[str] = []
    if counts["wrong"]:
        rows = Review.objects.filter(run=run, verdict=Review.Verdict.WRONG, superseded_at=None)
        wrong = list(rows.order_by("declared__position").values_list("declared__item_id", flat=True)[: WRONG_NAMED + 2])
    return Coverage(
        right=counts["right"],
        wrong=counts["wrong"],
        unsure=counts["unsure"],
        none=counts["none"],
        declared=run.declared,
        wrong_ids=names(wrong, WRONG_NAMED),
    )


def limits(run: Run, machine: Machine, table: Sequence[criteria.Row], coverage: Coverage) -> list[str]:
    """What this pilot cannot tell, from what it did and did not do."""
    told = [
        ngettext(
            "%(n)s input says nothing about kinds that were not among it.",
            "%(n)s inputs say little about kinds that are rare, and nothing about those that were not among them.",
            run.declared,
        )
        % {"n": formats.number(run.declared)}
    ]
    if not machine.cards:
        told.append(_("No GPU took part: nothing is shown about a card."))
    elif len(machine.cards) == 1:
        told.append(_("Everything ran on one card. Several cards at once were not tried."))
    longest = Declared.objects.filter(spec=run.pilot.spec).aggregate(size=Max("size"))["size"]
    if longest:
        told.append(
            _("The longest input had %(size)s. What is longer in the volume was not tried.")
            % {"size": formats.size(longest)}
        )
    unmeasured = [str(row.name) for row in table if row.is_gap]
    if unmeasured:
        told.append(_("Not measured: %(names)s.") % {"names": ", ".join(unmeasured)})
    if coverage.none:
        told.append(
            ngettext(
                "%(n)s result was not looked at by a person.",
                "%(n)s results were not looked at by a person.",
                coverage.none,
            )
            % {"n": formats.number(coverage.none)}
        )
    not_run = Rung.objects.filter(run=run, attempt=run.attempt, verdict__in=("not_run", "not_applicable")).count()
    if not_run:
        told.append(
            ngettext(
                "%(n)s rung of the diagnostic was not run or did not apply.",
                "%(n)s rungs of the diagnostic were not run or did not apply.",
                not_run,
            )
            % {"n": formats.number(not_run)}
        )
    return told


def choices(pilot: Pilot, run: Run, next_number: int) -> list[Choice]:
    order = run.pilot.order
    return [
        Choice("launch", vocabulary.choice("launch").word, _launch(order), order_link(order)),
        Choice(
            "fix",
            vocabulary.choice("fix").word,
            _("Prefills try %(n)s of the same spec.") % {"n": formats.number(next_number)},
            reverse("pilot", args=[pilot.ref]),
        ),
        Choice(
            "revise",
            vocabulary.choice("revise").word,
            _("Opens the chooser with what was measured, and shows the difference."),
            revise_link(order, run),
        ),
    ]


def _launch(order: Order | None) -> str:
    if order is None:
        return _("Opens the chooser for the volume.")
    if order.state == Order.State.DELIVERED and order.ends_at:
        return _("Prefills an order like %(code)s, which is yours until %(end)s.") % {
            "code": order.code,
            "end": formats.when(order.ends_at),
        }
    return _("Prefills an order like %(code)s.") % {"code": order.code}


def order_link(order: Order | None) -> str:
    return f"/rent/?{chooser.query_of(order)}" if order else "/rent/"


def revise_link(order: Order | None, run: Run) -> str:
    """The chooser with the choices of this order, and the memory that was really needed where it was measured."""
    peak = (run.facts.get("peaks") or {}).get("gpu_memory_bytes")
    query: dict[str, Any] = {}
    if order is not None:
        query = {"days": order.days, "lots": order.lots, "preparation": order.preparation}
    if peak:
        query["memory"] = -(-int(peak) // 1024**3)
    return f"/rent/?{urlencode(query)}" if query else "/rent/"


@dataclass(frozen=True)
class Since:
    """What happened after a decision: it rests on what it named all the same."""

    newer_tries: int
    newer_reviews: int
    evidence_differs: bool

    @property
    def sentences(self) -> list[str]:
        told = []
        if self.evidence_differs:
            told.append(_("The archive that it rests on does not equal our copy any more."))
        if self.newer_tries:
            told.append(
                ngettext("%(n)s try was made since.", "%(n)s tries were made since.", self.newer_tries)
                % {"n": formats.number(self.newer_tries)}
            )
        if self.newer_reviews:
            told.append(
                ngettext("%(n)s result was looked at since.", "%(n)s results were looked at since.", self.newer_reviews)
                % {"n": formats.number(self.newer_reviews)}
            )
        return told


def since(decision: Decision, page: DecisionPage) -> Since:
    return Since(
        newer_tries=sum(row.run.number > page.run.number for row in page.tries),
        newer_reviews=Review.objects.filter(run=page.run, at__gt=decision.at).count(),
        evidence_differs=decision.evidence_sha256 != decision.evidence.sha256,
    )
