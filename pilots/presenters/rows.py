"""Every declared id of a run with what became of it, missing ones included, and the strays below."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from pilots import vocabulary
from pilots.models import Declared, Item, Run
from pilots.presenters.balance import Cell, Stray, anchor
from pilots.presenters.text import visible

Text = str | Promise
STRAYS_SHOWN = 50
RAW_SHOWN = 300


@dataclass(frozen=True)
class IdRow:
    id: str
    shown: str
    anchor: str
    position: int
    kind: str  # accepted, refused, missing
    word: Text
    told: Text
    differs: bool
    expected: Text
    margin: float | None
    line: int | None
    review: str = ""
    review_word: Text = ""
    review_shape: str = ""

    def cell(self, href: str) -> Cell:
        """How the tile of this id is read out, and where it leads."""
        if self.kind == "refused":
            words = _("refused: %(reason)s") % {"reason": self.told}
        elif self.kind == "accepted":
            words = _("accepted: %(category)s") % {"category": self.told}
        else:
            words = f"{self.word}: {self.told}" if self.told else str(self.word)
        return Cell(self.id, self.kind, words, href)  # type: ignore[arg-type]


REVIEW_SHAPES = {"right": "confirmed", "wrong": "stopped", "unsure": "seen"}


def id_row(declared: Declared, item: Item | None, *, is_over: bool, expected: str = "", review: str = "") -> IdRow:
    wanted: Text = _("to be refused") if declared.must_refuse else visible(declared.expected)
    shared: dict[str, Any] = {
        "id": declared.item_id,
        "shown": visible(declared.item_id),
        "anchor": anchor(declared.position),
        "position": declared.position,
        "expected": wanted,
        "review": review,
        "review_word": vocabulary.review(review) if review else "",
        "review_shape": REVIEW_SHAPES.get(review, ""),
    }
    if item is None:
        word = _("missing") if is_over else _("no line yet")
        told = _("no line in results.jsonl") if is_over else ""
        return IdRow(kind="missing", word=word, told=told, differs=False, margin=None, line=None, **shared)
    refused = item.status == Item.Status.REFUSED
    told = visible(item.reason if refused else item.category)
    differs = item.agrees is False or (declared.must_refuse and not refused)
    return IdRow(
        kind=item.status,
        word=_("refused") if refused else _("accepted"),
        told=told or (_("no reason given") if refused else _("no category given")),
        differs=differs,
        margin=item.margin,
        line=item.line,
        **shared,
    )


def id_rows(run: Run, limit: int) -> list[IdRow]:
    """The first `limit` declared ids in the manifest's order; two queries whatever the run holds."""
    declared = list(Declared.objects.filter(spec=run.pilot.spec).order_by("position")[:limit])
    first = declared[0].position if declared else 0
    last = declared[-1].position if declared else 0
    lines = Item.objects.filter(run=run, kind=Item.Kind.RESULT, position__range=(first, last)).defer("raw", "extra")
    by_position = {item.position: item for item in lines}
    return [id_row(row, by_position.get(row.position), is_over=run.is_over) for row in declared]


@dataclass(frozen=True)
class StrayRow:
    name: str
    words: Text
    line: int
    raw: str

    @property
    def stray(self) -> Stray:
        return Stray(self.name, self.words, self.raw, self.line)


def stray_rows(items: Iterable[Item]) -> list[StrayRow]:
    rows = []
    for item in items:
        name = visible(item.item_id)[:40] or _("line %(n)s") % {"n": item.line}
        raw = visible(item.raw[:RAW_SHOWN]) + ("…" if len(item.raw) > RAW_SHOWN else "")
        rows.append(StrayRow(name, vocabulary.stray(item.kind), item.line, raw))
    return rows


def refusals(rows: Sequence[IdRow]) -> dict[str, str]:
    """Reasons by id, for the criterion that names the expected refusals."""
    return {row.id: str(row.told) for row in rows if row.kind == "refused"}
