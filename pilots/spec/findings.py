"""A finding of the preflight: the shape that every look at a project gives."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing to mend or to know: `code` is stable, an `error` stops the launch; `message` is plain English."""

    code: str
    level: Level
    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        at = f"{self.path}:{self.line}" if self.line else self.path
        return f"{self.level}: {at}: {self.message} [{self.code}]"
