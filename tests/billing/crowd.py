"""Many threads that do one thing at the same moment, each on its own connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from common.refusals import Refusal


def crowd(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What each of `count` threads got from `act(number)`: its result, or the Refusal it met."""
    gate = Barrier(count)

    def one(number: int) -> Any:
        gate.wait()
        try:
            return act(number)
        except Refusal as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))
