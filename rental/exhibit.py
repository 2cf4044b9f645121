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


@lru_cache(maxsize=1)
def recorded() -> Exhibit | None:
    """The record beside this file, written by `kernodeck run examples/documents` and never by hand."""
    if not RECORD.is_file():
        return None
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    sheet = record["sheet"]
    tiles = tuple(tile(item) for item in record["items"])
    return Exhibit(
        declared=sheet["declared"],
        accepted=sheet["accepted"],
        refused=sheet["refused"],
        missing=len(sheet["missing"]),
        holds=sheet["holds"],
        device=record["device"],
        seconds=record["seconds"],
        tiles=tiles,
    )


def tile(item: dict[str, str]) -> Tile:
    """`doc-01` prints as 01: what all ids share is said to screen readers only."""
    prefix, dash, short = item["id"].rpartition("-")
    return Tile(item["id"], prefix + dash, short, item["status"], item["what"])
