"""The pilot shown on the home page: the recorded sheet of a run that really happened, or nothing."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parent / "recorded" / "documents.json"


@dataclass(frozen=True)
class Tile:
    """One declared id: what of it is printed, and what became of it (a category or a reason)."""

    id: str
    prefix: str
    short: str
    kind: str
    what: str


@dataclass(frozen=True)
class Exhibit:
    declared: int
    accepted: int
    refused: int
    missing: int
    holds: bool
    device: str
    seconds: float
    tiles: tuple[Tile, ...]


def record(run: Path) -> dict[str, Any]:
    """What the home page shows of a run's folder: its verdict, and what became of each declared id in order."""
    verdict = json.loads((run / "verdict.json").read_text(encoding="utf-8"))
    lines = (run / "output" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = {line["id"]: line for line in map(json.loads, lines)}
    spec = json.loads((run / "spec.json").read_text(encoding="utf-8"))
    return {
        "spec_sha256": verdict["spec_sha256"],
        "holds": verdict["holds"],
        "seconds": round(verdict["seconds"], 1),
        "device": "gpu" if verdict["measured"].get("peak_gpu_memory_bytes") else "cpu",
        "sheet": {name: verdict["sheet"][name] for name in ("declared", "accepted", "refused", "missing")},
        "items": [became(item["id"], results.get(item["id"])) for item in spec["manifest"]],
    }


def became(id_: str, line: dict[str, Any] | None) -> dict[str, str]:
    if line is None:
        return {"id": id_, "status": "missing", "what": ""}
    return {"id": id_, "status": line["status"], "what": line.get("category") or line.get("reason", "")}


@lru_cache(maxsize=1)
def recorded() -> Exhibit | None:
    """The record beside this file, written by `manage.py exhibit RUN` from a real run and never by hand."""
    if not RECORD.is_file():
        return None
    kept: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    sheet = kept["sheet"]
    return Exhibit(
        declared=sheet["declared"],
        accepted=sheet["accepted"],
        refused=sheet["refused"],
        missing=len(sheet["missing"]),
        holds=kept["holds"],
        device=kept["device"],
        seconds=kept["seconds"],
        tiles=tuple(tile(item) for item in kept["items"]),
    )


def tile(item: dict[str, str]) -> Tile:
    """`doc-01` prints as 01: what all ids share is said to screen readers only."""
    prefix, dash, short = item["id"].rpartition("-")
    return Tile(item["id"], prefix + dash, short, item["status"], item["what"])
