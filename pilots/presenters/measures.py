"""What was measured on the machine while a run went on; what was not measured is left out, never zero."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common import formats
from pilots.models import Run

Text = str | Promise


@dataclass(frozen=True)
class Measure:
    name: Text
    value: str


def _percent(value: Any) -> str:
    return formats.percent(float(value) / 100, 0)


def _size(value: Any) -> str:
    return formats.size(int(value))


PEAKS: tuple[tuple[str, Text, Callable[[Any], str]], ...] = (
    ("gpu_memory_bytes", _("Peak GPU memory"), _size),
    ("gpu_utilisation_percent", _("Peak GPU use"), _percent),
    ("gpu_temperature_c", _("Peak GPU temperature"), lambda value: f"{formats.number(value, 0)}{formats.NBSP}°C"),
    ("gpu_power_w", _("Peak GPU power"), lambda value: f"{formats.number(value, 0)}{formats.NBSP}W"),
    ("rss_bytes", _("Peak memory of the program"), _size),
    ("cpu_percent", _("Peak processor use"), _percent),
)


def of(run: Run) -> list[Measure]:
    peaks = run.facts.get("peaks") or {}
    return [Measure(name, show(peaks[key])) for key, name, show in PEAKS if isinstance(peaks.get(key), int | float)]
