"""`events.jsonl`: what happened during a try, a line an event, written and synced as it happens."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pilots.host.wire import Fault, Outcome, Stage

Teller = Callable[[dict[str, Any]], None]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def append(path: Path, value: dict[str, Any]) -> None:
    """One whole line, on disk when this returns."""
    data = (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        os.write(handle, data)
        os.fdatasync(handle)
    finally:
        os.close(handle)


class Journal:
    """Writes the events of one try, and tells each to whoever listens (the command line's screen)."""

    def __init__(self, path: Path, teller: Teller | None = None) -> None:
        self._path, self._teller = path, teller
        self.current: Stage = "queued"

    def stage(self, stage: Stage, **data: Any) -> None:
        self.current = stage
        self._write({**data, "kind": "stage", "stage": stage})

    def note(self, code: str, **data: Any) -> None:
        self._write({**data, "kind": "note", "stage": self.current, "code": code})

    def first_error(
        self, file: str, line: int | None, kind: str, text: str, context: list[tuple[int, str]] | None = None
    ) -> None:
        """`context` is the numbered lines around it. What a program wrote, it wrote before we collected it."""
        told = {"file": file, "line": line, "error_kind": kind, "text": text, "context": context or []}
        stage = "processing" if self.current == "collecting" else self.current
        self._write({"kind": "first_error", "stage": stage, **told})

    def end(self, outcome: Outcome, reason: str, fault: Fault | None, exit_code: int | None, **data: Any) -> None:
        told = {"outcome": outcome, "reason": reason, "fault": fault, "exit_code": exit_code}
        self._write({**data, "kind": "end", "stage": self.current, **told})

    def _write(self, event: dict[str, Any]) -> None:
        event = {"at": now(), **event}
        append(self._path, event)
        if self._teller:
            self._teller(event)
