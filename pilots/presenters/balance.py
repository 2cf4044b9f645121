"""The balance strip: the equation, a tile per declared id (or one bar), and what lies outside of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common import formats
from pilots.presenters.text import visible

TILES = 200
LABEL = 5  # characters that fit a tile
STRAYS = 12
WIDTH, HEIGHT = 1000, 36

Kind = Literal["accepted", "refused", "missing"]


@dataclass(frozen=True)
class Cell:
    """What became of one declared id."""

    id: str
    kind: Kind
    words: "str | Promise"
    href: str


@dataclass(frozen=True)
class Tile:
    kind: Kind
    words: "str | Promise"
    before: str
    label: str
    after: str
    href: str


@dataclass(frozen=True)
class Bar:
    """Shares of more ids than tiles can show, as paths of a 1000 × 36 drawing."""

    accepted: str
    hatched: str
    hatch: str
    label: str


@dataclass(frozen=True)
class Stray:
    name: str
    words: "str | Promise"
    raw: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Strip:
    declared: int
    accepted: int
    refused: int
    missing: int
    is_final: bool
    tiles: list[Tile] = field(default_factory=list)
    bar: Bar | None = None
    strays: list[Stray] = field(default_factory=list)
    stray_count: int = 0
    base: str = ""

    @property
    def strays_left(self) -> int:
        return max(0, self.stray_count - len(self.strays))


def anchor(position: int) -> str:
    """The row's id in the page: by position, because an id may hold anything."""
    return f"item-{position}"


def shared_prefix(ids: Sequence[str]) -> str:
    """What all ids begin with, up to a separator: `doc-` of `doc-01`, `doc-02`."""
    if len(ids) < 2:
        return ""
    low, high = min(ids), max(ids)
    same = next((at for at, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), len(low))
    common = low[:same]
    cut = max((at for at, character in enumerate(common) if not character.isalnum()), default=-1)
    return common[: cut + 1]


def _tiles(cells: Sequence[Cell]) -> list[Tile]:
    prefix = shared_prefix([cell.id for cell in cells])
    tiles = []
    for position, cell in enumerate(cells, 1):
        rest = cell.id[len(prefix) :]
        if len(rest) <= LABEL:
            before, label, after = prefix, rest, ""
        else:
            # Too long for a tile: its place in the manifest is shown, its whole name is read out.
            before, label, after = "", str(position), f" {cell.id}"
        tiles.append(Tile(cell.kind, cell.words, visible(before), visible(label), visible(after), cell.href))
    return tiles


def _share(count: int, declared: int) -> str:
    return formats.percent(count / declared) if declared else formats.percent(0)


def bar_of(declared: int, accepted: int, refused: int, missing: int, *, is_final: bool) -> Bar:
    """One bar for any number of ids. A refused share is hatched, a missing one stays empty."""
    accepted_to = round(WIDTH * accepted / declared, 1)
    refused_to = round(WIDTH * (accepted + refused) / declared, 1)
    # A share that exists is never drawn with no width at all.
    if refused and refused_to - accepted_to < 2:
        accepted_to = max(0.0, refused_to - 2)
    steps = range(int(accepted_to) - HEIGHT, int(refused_to) + HEIGHT, 8)
    lines = []
    for x in steps:
        start, stop = max(x, accepted_to), min(x + HEIGHT, refused_to)
        if start < stop:
            lines.append(f"M{start:g} {HEIGHT - (start - x):g}L{stop:g} {HEIGHT - (stop - x):g}")
    label = (
        _("%(declared)s declared: %(accepted)s accepted, %(refused)s refused, %(missing)s missing")
        if is_final
        else _("%(declared)s declared: %(accepted)s accepted, %(refused)s refused, %(missing)s without a line yet")
    ) % {
        "declared": formats.number(declared),
        "accepted": _share(accepted, declared),
        "refused": _share(refused, declared),
        "missing": _share(missing, declared),
    }
    return Bar(
        accepted=f"M0 0h{accepted_to:g}v{HEIGHT}H0z" if accepted else "",
        hatched=f"M{accepted_to:g} 0H{refused_to:g}v{HEIGHT}H{accepted_to:g}z" if refused else "",
        hatch="".join(lines),
        label=label,
    )


def strip(
    *,
    declared: int,
    accepted: int,
    refused: int,
    is_final: bool,
    cells: Iterable[Cell] = (),
    strays: Sequence[Stray] = (),
    stray_count: int | None = None,
    base: str = "",
) -> Strip:
    """The strip of one sheet; `cells` are needed up to 200 declared ids, `base` is the page that holds their rows."""
    missing = declared - accepted - refused
    fits = declared <= TILES
    return Strip(
        declared=declared,
        accepted=accepted,
        refused=refused,
        missing=missing,
        is_final=is_final,
        tiles=_tiles(list(cells)) if fits else [],
        bar=None if fits else bar_of(declared, accepted, refused, missing, is_final=is_final),
        strays=list(strays[:STRAYS]),
        stray_count=len(strays) if stray_count is None else stray_count,
        base=base,
    )
