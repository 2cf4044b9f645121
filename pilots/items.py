"""Declared ids with what became of them, in the manifest's order; strays apart; a person's verdict on one."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from pilots.models import Declared, Item, Review, Run
from rental.models import User


@dataclass(frozen=True)
class Row:
    """One declared id. `item` is None while there is no line for it; `status` is then `missing`."""

    declared: Declared
    item: Item | None
    review: Review | None
    expected: str  # the expected category, empty when there is none

    @property
    def status(self) -> str:
        return self.item.status if self.item else "missing"


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    next: int | None  # `after=` of the next page
    previous: int | None  # `before=` of the page before; None on the first


def page(
    run: Run,
    *,
    after: int = -1,
    before: int | None = None,
    limit: int = 100,
    status: str = "",  # accepted, refused, missing
    category: str = "",
    reason: str = "",
    disagreement: bool = False,
    reviewed: str = "",  # right, wrong, unsure, none
) -> Page:
    """Declared ids after (or before) a manifest position that pass every filter given, with their lines."""
    raise NotImplementedError


def one(run: Run, item_id: str) -> Row:
    """One declared id of the run; Http404 when it was not declared."""
    raise NotImplementedError


def strays(run: Run) -> QuerySet[Item]:
    """Duplicated, invented and malformed lines, in the order they came."""
    raise NotImplementedError


def sample(run: Run) -> list[Row]:
    """What a person should look at: every refusal, disagreements, the longest, the shortest, a random few."""
    raise NotImplementedError


def content(run: Run, declared: Declared, limit: int = 200_000) -> tuple[bytes, bool]:
    """The input's own bytes, read from the kept archive, at most `limit`; and whether that is all of it."""
    raise NotImplementedError


def review(run: Run, item_id: str, *, by: User, verdict: str, note: str = "") -> Review:
    """Record a spot check; an earlier one is superseded, not edited."""
    raise NotImplementedError


def review_counts(run: Run) -> dict[str, int]:
    """`right`, `wrong`, `unsure`, `none`."""
    raise NotImplementedError


def facets(run: Run) -> dict[str, dict[str, int]]:
    """Counts for the filters: `status`, `category`, `reason` (the most frequent ones)."""
    raise NotImplementedError


__all__ = [
    "Any",
    "Page",
    "Row",
    "content",
    "facets",
    "one",
    "page",
    "review",
    "review_counts",
    "sample",
    "strays",
]
