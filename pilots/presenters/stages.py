"""How long a run stayed at each stage, from what its host told and what we wrote ourselves."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common import formats
from pilots import vocabulary
from pilots.host import wire
from pilots.models import Run, RunEvent

Text = str | Promise
SHORTEST = 0.1


@dataclass(frozen=True)
class StageTime:
    code: str
    word: Text
    sentence: Text
    seconds: float | None
    is_now: bool = False

    @property
    def words(self) -> str:
        if self.seconds is None:
            return ""
        if self.seconds < SHORTEST:
            return _("under %(time)s") % {"time": formats.span(SHORTEST)}
        return formats.span(self.seconds)


def stage_times(run: Run, events: Iterable[RunEvent], now: datetime) -> list[StageTime]:
    """The stages reached, in order. Each clock is only compared with itself: ours for the ends, the host's between."""
    told: dict[str, datetime] = {}
    end: datetime | None = None
    for event in events:
        if event.attempt != run.attempt:
            continue
        if event.kind == RunEvent.Kind.STAGE and event.stage not in told:
            told[event.stage] = event.at
        elif event.kind == RunEvent.Kind.END:
            end = event.at
    reached = [code for code in wire.STAGES if code in told and code not in ("queued", "verified")]
    spans: dict[str, timedelta | None] = {}
    spans["queued"] = (run.claimed_at or run.ended_at or now) - run.queued_at
    for number, code in enumerate(reached, 1):
        stop = told[reached[number]] if number < len(reached) else end
        spans[code] = stop - told[code] if stop else None
    if run.verified_at and run.ended_at:
        spans["verified"] = run.verified_at - run.ended_at
    return [_time(run, code, span) for code, span in spans.items()]


def _time(run: Run, code: str, span: timedelta | None) -> StageTime:
    word = vocabulary.stage(code)
    is_now = not run.outcome and code == run.stage
    # A clock that was set back gives no duration rather than a wrong one.
    seconds = max(0.0, span.total_seconds()) if span is not None else None
    return StageTime(code, word.word, word.sentence, seconds, is_now)
