"""What goes into the bag's `data/`: everything a reader needs to judge the run again, without the site."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pilots.evidence.bag import Entry
from pilots.evidence.crate import crate
from pilots.evidence.report import report
from pilots.models import Decision, Declared, Item, Review, Run, RunFile, Rung

JUDGED: Final = ("verified", "copy_differs", "never_announced")  # codes of the move that follows an archive
LOGS: Final = frozenset(("stdout.log", "stderr.log", "install.log"))


def entries(run: Run) -> list[Entry]:
    """In any order; the bag sorts them."""
    found = [*_shipped(run), *_told(run), *_people(run)]
    found.append(Entry("report.html", report(run).encode()))
    found.append(Entry("ro-crate-metadata.json", _json(crate(run, [entry.path for entry in found]))))
    return found


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, default=str).encode() + b"\n"


def _rows(values: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False, default=str) + "\n" for value in values).encode()


def place(file: RunFile, newest: int) -> str:
    """Logs in their folder; files of attempts that were given up in theirs."""
    name = f"logs/{file.name}" if file.name in LOGS else file.name
    return name if file.attempt == newest else f"attempts/{file.attempt}/{name}"


def _shipped(run: Run) -> Iterator[Entry]:
    newest = run.claimed_attempt
    names = set()
    for file in run.files.order_by("attempt", "name"):
        file.run = run
        path = place(file, newest)
        names.add(path)
        yield Entry(path, source=file.disk_path, size=file.held)
    if "results.jsonl" not in names:
        yield Entry("results.jsonl")  # nothing was written: an empty file says so
    earlier = run.resumes
    while earlier is not None:
        for file in earlier.files.filter(name="results.jsonl", counts=True):
            file.run = earlier
            yield Entry(
                f"resumes/try-{earlier.number}/attempt-{file.attempt}/results.jsonl",
                source=file.disk_path,
                size=file.held,
            )
        earlier = earlier.resumes


def _told(run: Run) -> Iterator[Entry]:
    spec = run.pilot.spec
    if spec is None:
        raise RuntimeError("a run without a frozen spec cannot exist")
    yield Entry("spec.json", spec.canonical.encode())
    declared = Declared.objects.filter(spec=spec).order_by("position")
    yield Entry("manifest.jsonl", _rows(declared.values("item_id", "path", "size", "sha256").iterator(10_000)))
    yield Entry("parameters.json", _json(spec.config.get("parameters") or {}))
    yield Entry("references.json", _json(spec.config.get("references") or {}))
    yield Entry("criteria.json", _json(spec.criteria))
    answers = dict(declared.exclude(expected="").values_list("item_id", "expected"))
    if answers:
        yield Entry("expected.json", _json(answers))
    yield Entry("run.json", _json(summary(run)))
    if run.sheet is not None:
        yield Entry("sheet.json", _json(run.sheet))
    yield Entry("verdicts.json", _json(run.verdicts or []))
    yield Entry("strays.jsonl", _rows(_strays(run)))
    yield Entry("rungs.json", _json([_rung(rung) for rung in run.rungs.all()]))
    yield Entry("history.jsonl", _rows(_history(run)))
    if run.manifest is not None:
        yield Entry("host-manifest.json", _json(run.manifest))


def summary(run: Run) -> dict[str, Any]:
    """The run in figures, as the site holds it."""
    project = run.pilot.project
    return {
        "run": run.ref,
        "pilot": run.pilot.ref,
        "title": run.pilot.title,
        "try": run.number,
        "resumes": run.resumes.ref if run.resumes else None,
        "order": run.pilot.order.code if run.pilot.order else None,
        "host": run.host.name,
        "spec_sha256": run.pilot.spec_sha256,
        "project_sha256": project.sha256 if project else None,
        "archive_sha256": project.host_sha256 if project else None,
        "outcome": run.outcome,
        "reason": run.reason,
        "fault": run.fault or None,
        "exit_code": run.exit_code,
        "stage_reached": run.reached,
        "attempts": run.claimed_attempt,
        "first_error": run.first_error,
        "queued_at": run.queued_at,
        "claimed_at": run.claimed_at,
        "ended_at": run.ended_at,
        "checked_at": run.checked_at,
        "verified": run.verified_at is not None,
        "verification_error": run.verification_error or None,
        "differences": run.facts.get("differences", []),
        "declared": run.declared,
        "accepted": run.accepted,
        "refused": run.refused,
        "missing": run.missing,
        "strays": run.strays,
        "steps": run.steps,
        "holds": run.holds,
        "facts": {key: value for key, value in run.facts.items() if key not in ("factors", "differences")},
    }


def _strays(run: Run) -> Iterator[dict[str, Any]]:
    rows = run.items.exclude(kind=Item.Kind.RESULT).order_by("pk")
    for item in rows.iterator(5_000):
        yield {"attempt": item.attempt, "line": item.line, "kind": item.kind, "id": item.item_id, "code": item.reason,
               "raw": item.raw}  # fmt: skip


def _rung(rung: Rung) -> dict[str, Any]:
    return {"rung": rung.number, "name": rung.name, "verdict": rung.verdict, "seconds": rung.seconds,
            "facts": rung.facts, "proves": rung.proves, "does_not_prove": rung.does_not_prove,
            "next": rung.next_step}  # fmt: skip


def _history(run: Run) -> Iterator[dict[str, Any]]:
    """What the site did with the run. The host's own words are events.jsonl."""
    # Up to its end: that it was read again is said by run.json, and written after this archive.
    for event in run.events.filter(kind="move").exclude(code__in=JUDGED).select_related("by"):
        yield {"at": event.at, "attempt": event.attempt, "old": event.old, "new": event.new, "code": event.code,
               "by": event.by.get_full_name() if event.by else None, "data": event.data}  # fmt: skip


def _people(run: Run) -> Iterator[Entry]:
    reviews = Review.objects.filter(run=run).select_related("declared", "by").order_by("pk")
    told = [
        {"id": row.declared.item_id, "verdict": row.verdict, "note": row.note, "by": row.by.get_full_name(),
         "at": row.at, "superseded_at": row.superseded_at}
        for row in reviews
    ]  # fmt: skip
    yield Entry("reviews.json", _json(told))
    decisions = Decision.objects.filter(pilot=run.pilot, evidence__run=run).select_related("by").order_by("pk")
    if decisions:
        yield Entry(
            "decisions.json",
            _json([
                {"choice": row.choice, "reason": row.reason, "evidence_sha256": row.evidence_sha256,
                 "by": row.by.get_full_name(), "at": row.at, "superseded_at": row.superseded_at}
                for row in decisions
            ]),
        )  # fmt: skip
