"""The sweep: what time brings in every room, each part on its own, so that one failure stops no other."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils import timezone

from common import housekeeping
from pilots import evidence
from pilots.models import Run
from pilots.runs import verifying
from rental import tasks as rental_tasks

log = logging.getLogger(__name__)
VERIFIED_AT_ONCE = 20
Part = tuple[str, timedelta, Callable[[datetime], int]]


def verify_ended(now: datetime) -> int:
    """Runs that ended and were not judged yet, the oldest first; one that fails does not hold up the rest."""
    done = 0
    for run in Run.objects.filter(ended_at__isnull=False, checked_at__isnull=True).order_by("ended_at")[
        :VERIFIED_AT_ONCE
    ]:
        try:
            verifying.verify(run)
            done += 1
        except Exception:
            log.exception("run %s could not be verified", run.ref)
    return done


def renew_evidence(now: datetime) -> int:
    """Archives that are older than a review or a decision on their run."""
    runs = list(evidence.due(now)[:VERIFIED_AT_ONCE])
    for run in runs:
        evidence.build(run)
    return len(runs)


def parts() -> list[Part]:
    """Every part with how often it is done."""
    rental = [(f"rental.{task.__name__}", timedelta(seconds=5), task) for task in rental_tasks.ALL]
    return [
        ("pilots.verify_ended", timedelta(0), verify_ended),
        ("pilots.renew_evidence", timedelta(seconds=10), renew_evidence),
        *rental,
        ("common.forget", timedelta(hours=1), housekeeping.forget),
    ]


class Sweep:
    """Remembers when each part was last done."""

    def __init__(self) -> None:
        self._next: dict[str, datetime] = {}

    def turn(self, now: datetime | None = None) -> dict[str, int]:
        """Do what is due; answers what each part did, -1 for one that failed (its error is logged)."""
        now = now or timezone.now()
        did: dict[str, int] = {}
        for name, every, act in parts():
            if self._next.get(name, now) > now:
                continue
            self._next[name] = now + every
            try:
                did[name] = act(timezone.now())
            except Exception:
                log.exception("%s failed", name)
                did[name] = -1
        return did
