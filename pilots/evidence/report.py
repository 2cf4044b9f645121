"""The report inside the archive: one HTML file that is read alone, offline, in the customer's language."""

from itertools import islice
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language, get_language_bidi

from pilots import vocabulary
from pilots.models import Decision, Declared, Item, Review, Run
from pilots.presenters import criteria as criteria_rows
from pilots.presenters.text import visible

MOST_ROWS = 2_000  # declared ids shown; sheet.json and results.jsonl hold all
MOST_STRAYS = 200


def report(run: Run) -> str:
    sheet = run.sheet or {}
    spec = run.pilot.spec
    return render_to_string(
        "pilots/evidence/report.html",
        {
            "language": get_language(),
            "direction": "rtl" if get_language_bidi() else "ltr",
            "run": run,
            "pilot": run.pilot,
            "spec": spec,
            "sheet": sheet,
            "outcome": vocabulary.outcome(run.outcome),
            "reason": vocabulary.reason(run.reason),
            "fault": vocabulary.fault(run.fault),
            "reached": vocabulary.stage(run.reached),
            "criteria": _criteria(run),
            "first_error": _first_error(run),
            "rungs": [_rung(rung) for rung in run.rungs.filter(attempt=run.claimed_attempt)],
            "rows": _rows(run),
            "more_rows": max(0, run.declared - MOST_ROWS),
            "strays": [_stray(item) for item in _strays(run)[:MOST_STRAYS]],
            "more_strays": max(0, _strays(run).count() - MOST_STRAYS),
            "reviews": Review.objects.filter(run=run, superseded_at=None).select_related("declared", "by"),
            "decisions": Decision.objects.filter(evidence__run=run, superseded_at=None).select_related("by"),
            "parameters": _pairs((spec.config.get("parameters") if spec else None) or {}),
        },
    )


def _criteria(run: Run) -> list[criteria_rows.Row]:
    refused = run.items.filter(status=Item.Status.REFUSED, kind=Item.Kind.RESULT)[:MOST_STRAYS]
    return criteria_rows.rows(
        run.pilot.spec.config if run.pilot.spec else {},
        run.verdicts,
        sheet=run.sheet,
        peak_gpu_bytes=run.facts.get("peaks", {}).get("gpu_memory_bytes"),
        has_card=bool(run.facts.get("machine", {}).get("cards")),
        reasons={item.item_id: visible(item.reason) for item in refused},
    )


def _pairs(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(visible(str(key)), visible(str(value))) for key, value in values.items()]


def _first_error(run: Run) -> dict[str, Any] | None:
    told = run.first_error
    if not told:
        return None
    return {
        "text": visible(str(told.get("text") or "")),
        "file": visible(str(told.get("file") or "")),
        "line": told.get("line"),
        "stage": vocabulary.stage(str(told.get("stage") or run.reached)),
        "words": vocabulary.error(str(told.get("kind") or "")),
    }


def _rung(rung: Any) -> dict[str, Any]:
    known = vocabulary.rung(rung.number, rung.name)
    return {"rung": rung, "name": known.name, "word": vocabulary.rung_verdict(rung.verdict)[1], "proves": known.proves,
            "does_not_prove": known.does_not_prove}  # fmt: skip


def _rows(run: Run) -> list[dict[str, Any]]:
    """Every declared id in order, missing ones as rows."""
    declared = list(islice(Declared.objects.filter(spec=run.pilot.spec).order_by("position").iterator(), MOST_ROWS))
    lines = Item.objects.filter(run=run, position__lt=len(declared)).defer("extra", "raw")
    by_position = {item.position: item for item in lines}
    return [{"declared": row, "item": by_position.get(row.position)} for row in declared]


def _strays(run: Run) -> Any:
    return run.items.exclude(kind=Item.Kind.RESULT).order_by("pk")


def _stray(item: Item) -> dict[str, Any]:
    return {"line": item.line, "word": vocabulary.stray(item.kind), "raw": visible(item.raw[:300])}
