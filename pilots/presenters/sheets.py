"""The balance sheet as files: JSON as it was judged, and CSV with a row per declared id and per stray line."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.http import Http404

from pilots.models import Declared, Item, Run

ROWS = 2_000
HEAD = ("position", "id", "status", "category", "reason", "expected", "agrees", "margin", "line")
# A spreadsheet takes a text that begins so for a formula and runs it.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def sheet_json(run: Run) -> bytes:
    if run.sheet is None:
        raise Http404
    body = {"run": run.ref, "try": run.number, "sheet": run.sheet, "verdicts": run.verdicts, "holds": run.holds}
    return json.dumps(body, ensure_ascii=False, indent=2).encode()


def cell(value: Any) -> Any:
    """Numbers stay numbers; a text that a spreadsheet would run is prefixed."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _batches(rows: Iterable[Declared]) -> Iterator[list[Declared]]:
    source = iter(rows)
    while batch := list(islice(source, ROWS)):
        yield batch


def _rows(run: Run) -> Iterator[tuple[Any, ...]]:
    yield HEAD
    declared = Declared.objects.filter(spec=run.pilot.spec).order_by("position").iterator(ROWS)
    for batch in _batches(declared):
        within = (batch[0].position, batch[-1].position)
        found = Item.objects.filter(run=run, kind=Item.Kind.RESULT, position__range=within).defer("raw", "extra")
        lines = {item.position: item for item in found}
        for row in batch:
            item = lines.get(row.position)
            wanted = "(to be refused)" if row.must_refuse else row.expected
            if item is None:
                yield (row.position, row.item_id, "missing", "", "", wanted, "", "", "")
            else:
                agrees = "" if item.agrees is None else "yes" if item.agrees else "no"
                yield (
                    row.position, row.item_id, item.status, item.category, item.reason, wanted, agrees,
                    "" if item.margin is None else item.margin, item.line,
                )  # fmt: skip
    strays = Item.objects.filter(run=run).exclude(kind=Item.Kind.RESULT).order_by("pk").iterator(ROWS)
    for stray in strays:
        yield ("", stray.item_id, stray.kind, "", stray.raw, "", "", "", stray.line)


def sheet_csv(run: Run) -> Iterator[bytes]:
    """Lines of CSV as they are read, so that a large sheet is never held whole."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in _rows(run):
        writer.writerow([cell(value) for value in row])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()
