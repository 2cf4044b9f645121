"""Lines of `results.jsonl`: the first line of a declared id is its result, every other line is a stray, kept."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pilots.ingest import store
from pilots.ingest.rows import batches, figure, json_text, shown, text
from pilots.ingest.store import Result
from pilots.models import Item, Run, RunFile
from pilots.runs import moves
from pilots.spec.results import Line, read_line

OWN_KEYS: Final = frozenset(("id", "status", "category", "reason"))
RESULT, MALFORMED, INVENTED, DUPLICATED = (
    str(kind) for kind in (Item.Kind.RESULT, Item.Kind.MALFORMED, Item.Kind.INVENTED, Item.Kind.DUPLICATED)
)
Known = dict[str, tuple[int, str]]  # id → position, expected category
Read = tuple[int, bytes, Line]


def read(run: Run, file: RunFile, lines: Iterable[tuple[int, bytes]]) -> None:
    """One batch after the other: look up the ids, tell results from strays, insert."""
    told = ((number, raw, read_line(raw, number)) for number, raw in lines)
    spec_id = run.pilot.spec_id
    if spec_id is None:
        raise RuntimeError("a run without a frozen spec cannot exist")
    for batch in batches(row for row in told if row[2].said != "blank"):
        known = store.positions(spec_id, {line.id for _, _, line in batch if line.id})
        taken = store.taken(run.pk, (position for position, _ in known.values()))
        rows = list(_rows(run.pk, file.attempt, batch, known, taken))
        store.insert(rows)
        moves.counted(run, **_figures(rows))


def _rows(run: int, attempt: int, batch: list[Read], known: Known, taken: set[int]) -> Iterator[Result]:
    for number, raw, line in batch:
        place = known.get(line.id)
        if line.said == "malformed":
            yield Result(run, attempt, number, MALFORMED, reason=line.code, raw=shown(raw))
        elif place is None:
            yield Result(run, attempt, number, INVENTED, item_id=text(line.id, 200), raw=shown(raw))
        elif place[0] in taken:
            yield Result(run, attempt, number, DUPLICATED, item_id=line.id, raw=shown(raw))
        else:
            taken.add(place[0])
            yield _result(run, attempt, number, line, *place)


def _result(run: int, attempt: int, number: int, line: Line, position: int, expected: str) -> Result:
    value: dict[str, Any] = line.value or {}
    accepted = line.said == "accepted"
    extra = {key: value[key] for key in value if key not in OWN_KEYS}
    return Result(
        run,
        attempt,
        number,
        RESULT,
        position,
        line.id,
        line.said,
        text(line.category, 200) if accepted else "",
        "" if accepted else text(line.reason, 4_000),
        (accepted and line.category == expected) if expected else None,
        figure(value.get("margin")),
        extra=json_text(extra) if extra else "{}",
    )


def _figures(rows: list[Result]) -> dict[str, int]:
    accepted = sum(row.status == "accepted" for row in rows)
    refused = sum(row.status == "refused" for row in rows)
    return {"accepted": accepted, "refused": refused, "strays": len(rows) - accepted - refused}
