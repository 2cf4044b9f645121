"""What a line of a project's file shows, and how lines are kept without their secrets."""

import re
from dataclasses import dataclass

from rental.choosing.libraries import CAVEATS, SIGNS

SHOWN = 120  # characters of a line worth showing
SECRET = re.compile(r"//[^/\s@]+@")


@dataclass(frozen=True)
class Finding:
    """A line and the sign it shows, or the caveat it leaves. `optional`: only installed when asked for."""

    number: int
    text: str
    slug: str
    optional: bool = False

    @property
    def is_caveat(self) -> bool:
        return self.slug in CAVEATS


class Findings:
    """Collects findings, each line and sign once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], Finding] = {}

    def sign(self, number: int, line: str, slug: str | None, *, optional: bool = False) -> None:
        if slug in SIGNS:
            self._keep(Finding(number, shown(line), str(slug), optional))

    def unsure(self, number: int, line: str, caveat: str) -> None:
        self._keep(Finding(number, shown(line), caveat))

    def _keep(self, finding: Finding) -> None:
        self._kept.setdefault((finding.number, finding.slug), finding)

    def sorted(self) -> list[Finding]:
        return sorted(self._kept.values(), key=lambda finding: finding.number)


def shown(line: str) -> str:
    """A line as it may be shown: no password of an address, no more than its beginning."""
    line = SECRET.sub("//…@", " ".join(line.split()))
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
