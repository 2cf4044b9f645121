"""Lines of `results.jsonl`: the first line of a declared id is its result, every other line is a stray, kept."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pilots.ingest.rows import batches, figure, shown, stored, text
from pilots.models import Declared, Item, Run, RunFile
from pilots.runs import moves
from pilots.spec.results import Line, read_line

LOOKED_UP: Final = 900  # ids in one query: SQLite takes 1,000 parameters in older builds
OWN_KEYS: Final = frozenset(("id", "status", "category", "reason"))
Known = dict[str, tuple[int, str]]  # id → position, expected category
Read = tuple[int, bytes, Line]


def read(run: Run, file: RunFile, lines: Iterable[tuple[int, bytes]]) -> None:
    """One batch after the other: look up the ids, tell results from strays, insert."""
    told = ((number, raw, read_line(raw, number)) for number, raw in lines)
    for batch in batches(row for row in told if row[2].said != "blank"):
        known = _known(run, {line.id for _, _, line in batch if line.id})
        taken = _taken(run, [position for position, _ in known.values()])
        items = list(_items(run, file, batch, known, taken))
        Item.objects.bulk_create(items)
        moves.counted(run, **_figures(items))


def _known(run: Run, ids: set[str]) -> Known:
    known: Known = {}
    for some in batches(ids, LOOKED_UP):
        rows = Declared.objects.filter(spec=run.pilot.spec, item_id__in=some)
        for identity, position, expected in rows.values_list("item_id", "position", "expected"):
            known[identity] = (position, expected)
    return known


def _taken(run: Run, positions: list[int]) -> set[int]:
    taken: set[int] = set()
    for some in batches(positions, LOOKED_UP):
        rows = Item.objects.filter(run=run, position__in=some).values_list("position", flat=True)
        taken.update(position for position in rows if position is not None)
    return taken


def _items(run: Run, file: RunFile, batch: list[Read], known: Known, taken: set[int]) -> Iterator[Item]:
    for number, raw, line in batch:
        place = known.get(line.id)
        if line.said == "malformed":
            yield _stray(run, file, number, raw, Item.Kind.MALFORMED, reason=line.code)
        elif place is None:
            yield _stray(run, file, number, raw, Item.Kind.INVENTED, item_id=text(line.id, 200))
        elif place[0] in taken:
            yield _stray(run, file, number, raw, Item.Kind.DUPLICATED, item_id=line.id)
        else:
            taken.add(place[0])
            yield _result(run, file, number, line, *place)


def _stray(run: Run, file: RunFile, number: int, raw: bytes, kind: str, **fields: str) -> Item:
    return Item(run=run, attempt=file.attempt, line=number, kind=kind, raw=shown(raw), **fields)


def _result(run: Run, file: RunFile, number: int, line: Line, position: int, expected: str) -> Item:
    value: dict[str, Any] = line.value or {}
    accepted = line.said == "accepted"
    return Item(
        run=run,
        attempt=file.attempt,
        line=number,
        kind=Item.Kind.RESULT,
        position=position,
        item_id=line.id,
        status=line.said,
        category=text(line.category, 200) if accepted else "",
        reason="" if accepted else text(line.reason, 4_000),
        agrees=(accepted and line.category == expected) if expected else None,
        margin=figure(value.get("margin")),
        extra=stored({key: value[key] for key in value if key not in OWN_KEYS}),
    )


def _figures(items: list[Item]) -> dict[str, int]:
    accepted = sum(item.status == "accepted" for item in items)
    refused = sum(item.status == "refused" for item in items)
    return {"accepted": accepted, "refused": refused, "strays": len(items) - accepted - refused}
