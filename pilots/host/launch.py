"""One start of the customer's program: its arguments filled in, its limits kept, its end told."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pilots.host import sampling, sandbox
from pilots.host.environment import Environment
from pilots.host.folders import Folders
from pilots.host.program import Ended, Limits, Program
from pilots.spec.command import fill
from pilots.spec.config import FILE, Config

# A pilot without a time limit of its own ends after this; a term never is longer.
LONGEST_SECONDS: Final = 30 * 86400.0


class Halt:
    """Why a try should stop, said once by whoever knows first (a cancel, a lost lease, a signal)."""

    def __init__(self) -> None:
        self._said = threading.Event()
        self._reason = ""

    def say(self, reason: str) -> None:
        if not self._said.is_set():
            self._reason = reason
            self._said.set()

    @property
    def reason(self) -> str:
        return self._reason

    def __bool__(self) -> bool:
        return self._said.is_set()


@dataclass(frozen=True)
class Start:
    """Where one start of the program reads and writes."""

    output: Path
    stdout: Path
    stderr: Path
    until_step: int | None = None
    checkpoint: Path | None = None
    inputs: Path | None = None  # other than the declared ones
    remaining: Path | None = None


@dataclass(frozen=True)
class Launched:
    """How a start ended. `cut` is the reason code of whoever ended it before it did."""

    ended: Ended
    cut: str
    seconds: float
    peak_rss_bytes: int | None = None
    peak_gpu_memory_bytes: int | None = None


@dataclass
class Launcher:
    """Starts a project's program, as often as a try needs it."""

    config: Config
    folders: Folders
    environment: Environment
    kind: sandbox.Kind
    halt: Halt
    limits: Limits
    env: Mapping[str, str] = field(default_factory=dict)
    cards: sampling.Cards | None = None

    def arguments(self, start: Start) -> list[str]:
        project = self.folders.project
        values = {
            "inputs": str(start.inputs or project / self.config.inputs),
            "output": str(start.output),
            "params": str(project / FILE),
            "remaining": str(start.remaining or self.folders.given / "remaining.txt"),
            "checkpoint": str(start.checkpoint or ""),
            "until_step": "" if start.until_step is None else str(start.until_step),
        }
        return fill(self.config.command, values)

    def run(
        self, start: Start, *, samples: Path | None = None, on_result: Callable[[], None] | None = None
    ) -> Launched:
        """Starts it and waits for its end; nothing of it is alive when this returns."""
        began = time.monotonic()
        program = Program(
            sandbox.wrap(self.arguments(start), self._view(start), self.kind),
            cwd=self.folders.project,
            env=sandbox.environment(self.folders.work, self.env, [self.environment.python.parent]),
            stdout=start.stdout,
            stderr=start.stderr,
            result=self.folders.work / "program.json",
            limits=self.limits,
        )
        sampler = sampling.Sampler(program.pid, samples, self.cards) if samples else None
        if sampler:
            sampler.start()
        try:
            cut = self._wait(program, start, sampler, began, on_result)
            ended = program.ended()
        finally:
            if sampler:
                sampler.finish()
        seconds = time.monotonic() - began
        peaks = (sampler.peak_rss_bytes, sampler.peak_gpu_memory_bytes) if sampler else (None, None)
        rss = max((value for value in (peaks[0], ended.max_rss_bytes) if value), default=None)
        return Launched(ended, cut, seconds, rss, peaks[1])

    def _wait(
        self,
        program: Program,
        start: Start,
        sampler: sampling.Sampler | None,
        began: float,
        on_result: Callable[[], None] | None,
    ) -> str:
        limit = self.limits.seconds or LONGEST_SECONDS
        results = [start.output / name for name in ("results.jsonl", "metrics.jsonl")]
        step, cut = 0.02, ""
        while not program.wait(step):
            step = min(0.25, step * 1.3)
            if on_result and any(size(path) for path in results):
                on_result()
                on_result = None
            cut = cut or self._cut(start, sampler, time.monotonic() - began > limit)
            if cut:
                program.stop()
        if on_result and any(size(path) for path in results):
            on_result()
        return cut

    def _cut(self, start: Start, sampler: sampling.Sampler | None, late: bool) -> str:
        if self.halt:
            return self.halt.reason
        if late:
            return "time_limit"
        if max(size(start.stdout), size(start.stderr)) > self.limits.log_bytes:
            return "output_limit"
        if sampler and sampler.processes > self.limits.processes:
            return "process_limit"
        return ""

    def _view(self, start: Start) -> sandbox.View:
        writable = [self.folders.project, self.folders.work, start.output]
        readable = [self.environment.folder, *self.environment.seen, self.folders.given]
        readable += [path for path in (start.inputs, start.checkpoint, start.remaining) if path]
        return sandbox.View(tuple(writable), tuple(readable), tmp=self.folders.work / "tmp")


def size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
