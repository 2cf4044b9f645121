"""The estimated range of memory beside the measured peak: on the run page and, try by try, on the pilot's."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common.formats import size
from pilots import objectives
from pilots.models import MemoryObjective, Pilot, Run
from pilots.runs.measuring import peak_gpu_memory
from rental.choosing.memory_page import between

Text = str | Promise


@dataclass(frozen=True)
class OfRun:
    objective: MemoryObjective
    run: Run
    peak: int | None

    @property
    def estimate(self) -> str:
        return between(self.objective.low_bytes, self.objective.high_bytes)

    @property
    def came_later(self) -> bool:
        """Whether the estimate was written after this run had begun: it foretold nothing then."""
        return self.objective.at > self.run.queued_at

    @property
    def measured(self) -> str:
        if self.peak is not None:
            return size(self.peak)
        return _("not measured") if self.run.outcome else _("not measured yet")

    @property
    def difference(self) -> str:
        low, high = self.objective.low_bytes, self.objective.high_bytes
        if self.peak is None:
            return ""
        if self.peak > high:
            return _("above the range by %(by)s") % {"by": size(self.peak - high)}
        if self.peak < low:
            return _("below the range by %(by)s") % {"by": size(low - self.peak)}
        return _("within the range, %(by)s below its upper end") % {"by": size(high - self.peak)}


@dataclass(frozen=True)
class OfPilot:
    objective: MemoryObjective
    tries: list[OfRun]

    @property
    def is_measured(self) -> bool:
        return any(row.peak is not None for row in self.tries)

    @property
    def estimate(self) -> str:
        return between(self.objective.low_bytes, self.objective.high_bytes)


def of_run(run: Run) -> OfRun | None:
    found = objectives.of(run.pilot)
    return OfRun(found, run, peak_gpu_memory(run)) if found else None


def of_pilot(pilot: Pilot, tries: Sequence[Run]) -> OfPilot | None:
    found = objectives.of(pilot)
    return OfPilot(found, [OfRun(found, run, peak_gpu_memory(run)) for run in tries]) if found else None
