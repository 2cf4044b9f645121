"""What a program takes while it runs, sampled: processor, memory, processes, and the cards where there are any."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pilots.host import guardian
from pilots.host.journal import now
from pilots.host.rungs import cards as listed
from pilots.host.rungs.base import Failed

_TICK: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
Cards = Callable[[], list[dict[str, Any]]]


def read_cards() -> list[dict[str, Any]]:
    """The cards' figures now; what the driver does not tell stays None, never zero."""
    try:
        told = listed.cards()
    except Failed:
        return []
    keys = ("uuid", "memory_used_bytes", "utilisation_percent", "temperature_c", "power_w")
    return [{key: card.get(key) for key in keys} for card in told]


class Sampler(threading.Thread):
    """A line of `samples.jsonl` a second, every two after the first minute; peaks kept for the end."""

    def __init__(self, root: int, path: Path, cards: Cards | None) -> None:
        super().__init__(name="sampler", daemon=True)
        self._root, self._path, self._cards = root, path, cards
        self._over = threading.Event()
        self.peak_rss_bytes: int | None = None
        self.peak_gpu_memory_bytes: int | None = None  # of the card that held most
        self.processes = 0

    def run(self) -> None:
        began, before, spent = time.monotonic(), time.monotonic(), 0.0
        with self._path.open("a", encoding="utf-8") as file:
            while True:
                at, (used, rss, count) = time.monotonic(), usage(self._root)
                percent = None if at == before else round(max(0.0, used - spent) / (at - before) * 100, 1)
                before, spent, self.processes = at, used, count
                gpu = self._cards() if self._cards else None
                self._keep_peaks(rss, gpu)
                sample = {"at": now(), "cpu_percent": percent, "rss_bytes": rss, "processes": count, "gpu": gpu}
                file.write(json.dumps(sample) + "\n")
                file.flush()
                if self._over.wait(0.2 if at - began < 0.5 else 1.0 if at - began < 60 else 2.0):
                    return

    def finish(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join(timeout=30)

    def _keep_peaks(self, rss: int | None, gpu: list[dict[str, Any]] | None) -> None:
        if rss:
            self.peak_rss_bytes = max(self.peak_rss_bytes or 0, rss)
        held = [card["memory_used_bytes"] for card in gpu or [] if card["memory_used_bytes"] is not None]
        if held:
            self.peak_gpu_memory_bytes = max(self.peak_gpu_memory_bytes or 0, *held)


def usage(root: int) -> tuple[float, int | None, int]:
    """Processor seconds, resident bytes (None when nothing lives) and number of processes below one."""
    seconds, pages, count = 0.0, 0, 0
    for pid, name in guardian.descendants(root).items():
        if name == "bwrap":
            continue
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            continue
        fields = stat[stat.rindex(b")") + 2 :].split()
        # utime, stime and those of its collected children; rss in pages
        seconds += sum(int(field) for field in fields[11:15]) / _TICK
        pages += int(fields[21])
        count += 1
    return seconds, pages * _PAGE if count else None, count
