"""The list of items by filter and page, one item beside its input, and the sample worth looking at."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from pilots import items
from pilots.items import Filters
from pilots.models import Run
from pilots.presenters.rows import STRAYS_SHOWN, IdRow, StrayRow, id_row, stray_rows
from pilots.presenters.text import decoded, is_text, visible

INPUT_SHOWN = 100_000
FIELD_SHOWN = 4_000
SHOWN_APART = ("id", "status", "category", "reason", "margin")
PAGE = 100
COUNTED = 20  # categories and reasons offered as links


@dataclass(frozen=True)
class Facet:
    value: str
    words: str
    count: int
    query: str


@dataclass(frozen=True)
class ListPage:
    rows: list[IdRow]
    strays: list[StrayRow]
    next: str
    previous: str
    query: str
    is_filtered: bool
    categories: list[Facet]
    reasons: list[Facet]


def to_rows(run: Run, found: Sequence[items.Row]) -> list[IdRow]:
    return [
        id_row(row.declared, row.item, is_over=run.is_over, review=row.review.verdict if row.review else "")
        for row in found
    ]


def _facets(run: Run, kind: str, chosen: dict[str, Any], counts: dict[str, dict[str, int]]) -> list[Facet]:
    rest = {key: value for key, value in chosen.items() if key not in ("category", "reason", "status")}
    pairs = sorted((counts.get(kind) or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        Facet(value, visible(value)[:80], count, urlencode({**rest, kind: value})) for value, count in pairs[:COUNTED]
    ]


def listing(run: Run, chosen: dict[str, Any], *, after: int, before: int | None) -> ListPage:
    """One keyset page of the items that pass the filters; strays are shown with an unfiltered first page."""
    found = items.page(run, Filters(**chosen), after=after, before=before, limit=PAGE)
    counts = items.facets(run)
    first = after < 0 and before is None
    strays = stray_rows(items.strays(run)[:STRAYS_SHOWN]) if first and not chosen else []
    return ListPage(
        rows=to_rows(run, found.rows),
        strays=strays,
        next=urlencode({**chosen, "after": found.next}) if found.next is not None else "",
        previous=urlencode({**chosen, "before": found.previous}) if found.previous is not None else "",
        query=urlencode(chosen),
        is_filtered=bool(chosen),
        categories=_facets(run, "category", chosen, counts),
        reasons=_facets(run, "reason", chosen, counts),
    )


@dataclass(frozen=True)
class Field:
    name: str
    value: str


@dataclass(frozen=True)
class ItemPage:
    row: IdRow
    found: items.Row
    text: str | None
    is_whole: bool
    fields: list[Field]
    previous: str | None
    next: str | None
    mode: str

    @property
    def path(self) -> str:
        return visible(self.found.declared.path)


def _output(found: items.Row) -> list[Field]:
    """The program's other keys, as it wrote them."""
    if found.item is None:
        return []
    return [
        Field(visible(str(key))[:80], _value(value))
        for key, value in found.item.extra.items()
        if key not in SHOWN_APART
    ]


def _value(value: Any) -> str:
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True))
    return text if len(text) <= FIELD_SHOWN else f"{text[:FIELD_SHOWN]}…"


def _neighbours(run: Run, position: int, chosen: dict[str, Any]) -> tuple[str | None, str | None]:
    filters = Filters(**chosen)
    before = items.page(run, filters, before=position, limit=1).rows
    after = items.page(run, filters, after=position, limit=1).rows
    return (before[-1].declared.item_id if before else None, after[0].declared.item_id if after else None)


def _in_sample(run: Run, item_id: str) -> tuple[str | None, str | None]:
    ids = [row.declared.item_id for row in items.sample(run)]
    if item_id not in ids:
        return None, ids[0] if ids else None
    at = ids.index(item_id)
    return (ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)


def one(run: Run, item_id: str, chosen: dict[str, Any], *, in_sample: bool) -> ItemPage:
    found = items.one(run, item_id)
    data, whole = items.content(run, found.declared, INPUT_SHOWN)
    previous, following = _in_sample(run, item_id) if in_sample else _neighbours(run, found.declared.position, chosen)
    query = urlencode({"sample": 1} if in_sample else chosen)
    return ItemPage(
        row=to_rows(run, [found])[0],
        found=found,
        text=decoded(data) if is_text(data) else None,
        is_whole=whole,
        fields=_output(found),
        previous=previous,
        next=following,
        mode=query,
    )
