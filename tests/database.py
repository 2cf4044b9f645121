"""Emptying the test database: its append-only rules stand in the way of that, and of that only."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def rules_lifted() -> Iterator[None]:
    """Without the triggers that keep rows for ever; they are back, the same, afterwards."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = DEFAULT")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _sql in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        yield
        for _name, sql in triggers:
            cursor.execute(sql)
