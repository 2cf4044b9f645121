"""`ro-crate-metadata.json`: the run as a Process Run Crate, for readers that know nothing of Kernodeck."""

import mimetypes
from typing import Any, Final

from pilots.models import Run

CONTEXT: Final = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
CRATE: Final = {"@id": "https://w3id.org/ro/crate/1.1"}
PROFILE: Final = {"@id": "https://w3id.org/ro/wfrun/process/0.5"}
INPUTS: Final = ("spec.json", "manifest.jsonl", "parameters.json", "references.json", "criteria.json", "expected.json")
STATUS: Final = {True: "http://schema.org/CompletedActionStatus", False: "http://schema.org/FailedActionStatus"}


def crate(run: Run, paths: list[str]) -> dict[str, Any]:
    """Root, action, program, person and files, flat as RO-Crate wants them."""
    spec, config = run.pilot.spec, run.pilot.spec.config if run.pilot.spec else {}
    used = [{"@id": path} for path in paths if path in INPUTS]
    made = [{"@id": path} for path in paths if path not in INPUTS]
    action = {
        "@id": f"#run-{run.ref}",
        "@type": "CreateAction",
        "name": f"{run.pilot.title}, try {run.number}",
        "startTime": _time(run.claimed_at),
        "endTime": _time(run.ended_at),
        "actionStatus": {"@id": STATUS[run.outcome == Run.Outcome.COMPLETED]},
        "instrument": {"@id": "#program"},
        "agent": {"@id": "#customer"},
        "object": used,
        "result": made,
        "description": f"outcome: {run.outcome}; reason: {run.reason}",
    }
    if run.outcome != Run.Outcome.COMPLETED:
        action["error"] = str((run.first_error or {}).get("text") or run.reason)
    program = {
        "@id": "#program",
        "@type": "SoftwareApplication",
        "name": " ".join(config.get("command", ()))[:300],
        "version": config.get("revision") or run.pilot.project.sha256 if run.pilot.project else "",
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence of {run.pilot.title}, try {run.number}",
        "description": "Balance sheet, results, environment and logs of one run, re-read from the site's own copy.",
        "datePublished": _time(run.checked_at),
        "license": "All rights are the customer's.",
        "conformsTo": PROFILE,
        "identifier": spec.sha256 if spec else "",
        "hasPart": [{"@id": path} for path in paths],
        "mentions": {"@id": action["@id"]},
    }
    described = {"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "conformsTo": CRATE, "about": {"@id": "./"}}
    person = {"@id": "#customer", "@type": "Person", "name": run.pilot.customer.get_full_name() or "customer"}
    files = [{"@id": path, "@type": "File", "name": path, "encodingFormat": _kind(path)} for path in paths]
    profile = {**PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
    return {"@context": CONTEXT, "@graph": [described, root, profile, action, program, person, *files]}


def _kind(path: str) -> str:
    if path.endswith(".jsonl"):
        return "application/jsonl"
    return "text/plain" if path.endswith((".log", ".txt")) else mimetypes.guess_type(path)[0] or "text/plain"


def _time(moment: Any) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None
