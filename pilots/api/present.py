"""Rows of the pilots room as the API shows them."""

from typing import Any

from common.api.answers import instant, instant_or_none
from pilots.items import Row
from pilots.models import Decision, Evidence, Item, Pilot, Project, Review, Run, RunEvent, RunFile

# What the site keeps for itself or shows elsewhere.
OWN_FACTS = frozenset(("factors", "differences"))


def project(row: Project) -> dict[str, Any]:
    return {
        "id": row.ref,
        "name": row.name,
        "sha256": row.sha256,
        "size": row.size,
        "declared": row.declared,
        "received_at": instant(row.received_at),
        "preflight": row.findings,
    }


def pilot(row: Pilot) -> dict[str, Any]:
    return {
        "id": row.ref,
        "title": row.title,
        "state": row.state,
        "version": row.version,
        "project": row.project.ref if row.project else None,
        "order": row.order.code if row.order else None,
        "host": row.host.name if row.host else None,
        "spec_sha256": row.spec_sha256,
        "criteria": row.spec.criteria if row.spec else {},
        "declared": row.spec.declared if row.spec else 0,
        "created_at": instant(row.created_at),
        "frozen_at": instant_or_none(row.frozen_at),
    }


def run(row: Run) -> dict[str, Any]:
    newest = Evidence.objects.filter(run=row).first()
    return {
        "id": row.ref,
        "pilot": row.pilot.ref,
        "number": row.number,
        "resumes": row.resumes.ref if row.resumes else None,
        "host": row.host.name,
        "attempt": row.attempt,
        "stage": row.stage,
        "reached": row.reached,
        "outcome": row.outcome,
        "reason": row.reason,
        "fault": row.fault,
        "exit_code": row.exit_code,
        "first_error": row.first_error,
        "counts": {
            "declared": row.declared, "accepted": row.accepted, "refused": row.refused, "missing": row.missing,
            "strays": row.strays, "steps": row.steps,
        },
        "holds": row.holds,
        "verdicts": row.verdicts,
        "facts": {key: value for key, value in row.facts.items() if key not in OWN_FACTS},
        "silent": row.is_silent,
        "cancel_asked": row.cancel_asked_at is not None,
        "queued_at": instant(row.queued_at),
        "claimed_at": instant_or_none(row.claimed_at),
        "last_report_at": instant_or_none(row.last_report_at),
        "ended_at": instant_or_none(row.ended_at),
        "verified_at": instant_or_none(row.verified_at),
        "verification_error": row.verification_error,
        "evidence_sha256": newest.sha256 if newest else None,
    }  # fmt: skip


def event(row: RunEvent) -> dict[str, Any]:
    data = {} if row.code == "claimed" else row.data
    return {
        "at": instant(row.at),
        "kind": row.kind,
        "attempt": row.attempt,
        "stage": row.stage,
        "old": row.old,
        "new": row.new,
        "code": row.code,
        "data": data,
    }


def item(row: Row) -> dict[str, Any]:
    line, declared = row.item, row.declared
    return {
        "id": declared.item_id,
        "position": declared.position,
        "status": row.status,
        "category": line.category if line else "",
        "reason": line.reason if line else "",
        "expected": row.expected,
        "must_refuse": declared.must_refuse,
        "agrees": line.agrees if line else None,
        "margin": line.margin if line else None,
        "line": line.line if line else None,
        "size": declared.size,
        "sha256": declared.sha256,
        "extra": line.extra if line else {},
        "review": row.review.verdict if row.review else "",
    }


def stray(row: Item) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "attempt": row.attempt,
        "line": row.line,
        "id": row.item_id,
        "code": row.reason,
        "raw": row.raw,
    }


def file(row: RunFile) -> dict[str, Any]:
    return {
        "name": row.name,
        "attempt": row.attempt,
        "size": row.held,
        "lines": row.lines,
        "sha256": row.sha256,
        "updated_at": instant(row.updated_at),
    }


def review(row: Review) -> dict[str, Any]:
    return {"item": row.declared.item_id, "verdict": row.verdict, "note": row.note, "at": instant(row.at)}


def decision(row: Decision) -> dict[str, Any]:
    return {
        "id": row.pk,
        "choice": row.choice,
        "reason": row.reason,
        "evidence_sha256": row.evidence_sha256,
        "run": row.evidence.run.ref,
        "at": instant(row.at),
        "superseded_at": instant_or_none(row.superseded_at),
    }
