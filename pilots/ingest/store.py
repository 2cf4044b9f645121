"""The fast road into the tables of shipped lines: whole batches, without an object a row.

PostgreSQL gets COPY, SQLite one prepared statement; both inside the caller's transaction, so that rows and offset
are kept together or not at all.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection


class Result(NamedTuple):
    """One row of `pilots_item`, in the order of `COLUMNS`; `extra` is JSON text."""

    run_id: int
    attempt: int
    line: int
    kind: str
    position: int | None = None
    item_id: str = ""
    status: str = ""
    category: str = ""
    reason: str = ""
    agrees: bool | None = None
    margin: float | None = None
    carried: bool = False
    extra: str = "{}"
    raw: str = ""


COLUMNS: Final = Result._fields
# How one parameter stands for many values.
_MANY: Final = {"postgresql": "= ANY(%s)", "sqlite": "IN (SELECT value FROM json_each(%s))"}


def _many(values: Iterable[Any]) -> Any:
    listed = list(values)
    return listed if connection.vendor == "postgresql" else json.dumps(listed)


def positions(spec_id: int, ids: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Position and expected category of those ids that the spec declares."""
    query = f"SELECT item_id, position, expected FROM pilots_declared WHERE spec_id = %s AND item_id {_MANY[connection.vendor]}"  # noqa: S608, E501
    with connection.cursor() as cursor:
        cursor.execute(query, [spec_id, _many(ids)])
        return {identity: (position, expected) for identity, position, expected in cursor.fetchall()}


def taken(run_id: int, wanted: Iterable[int]) -> set[int]:
    """Those positions that have their result already."""
    query = f"SELECT position FROM pilots_item WHERE run_id = %s AND position {_MANY[connection.vendor]}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, [run_id, _many(wanted)])
        return {position for (position,) in cursor.fetchall()}


def insert(rows: Sequence[Result]) -> None:
    names = ", ".join(COLUMNS)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY pilots_item ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(COLUMNS))
            cursor.executemany(f"INSERT INTO pilots_item ({names}) VALUES ({marks})", rows)  # noqa: S608
