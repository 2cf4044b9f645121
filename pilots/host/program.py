"""A program under its guardian: started, waited for, stopped with everything it started."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

GUARDIAN: Final = Path(__file__).with_name("guardian.py")


@dataclass(frozen=True)
class Limits:
    """What a program may take. `None`: no limit of ours."""

    seconds: float | None = None
    file_bytes: int | None = 64 * 1024**3  # RLIMIT_FSIZE, for every single file it writes
    log_bytes: int = 256 * 1024**2  # each of stdout and stderr; the program is stopped beyond it
    processes: int = 8192
    grace_seconds: float = 10.0


@dataclass(frozen=True)
class Ended:
    """How a program ended. `signal` and `exit_code` are both None when it never started."""

    exit_code: int | None = None
    signal: int | None = None
    stopped: bool = False
    leftovers: list[str] = field(default_factory=list)  # short names of processes that outlived it
    error: str = ""  # why it could not be started
    unkillable: list[int] = field(default_factory=list)
    cpu_seconds: float | None = None
    max_rss_bytes: int | None = None

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    def told(self) -> str:
        if self.error:
            return f"could not be started: {self.error}"
        if self.signal:
            with contextlib.suppress(ValueError):
                return f"ended by {signal.Signals(self.signal).name}"
            return f"ended by signal {self.signal}"
        return f"ended with exit code {self.exit_code}"


class Program:
    """One program and all its descendants, alive as long as this object's process holds the lifeline."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdout: Path,
        stderr: Path,
        result: Path,
        limits: Limits,
    ) -> None:
        self._result = result
        result.unlink(missing_ok=True)
        settings = {
            "argv": list(argv),
            "cwd": str(cwd),
            "stdout": str(stdout),
            "stderr": str(stderr),
            "result": str(result),
            "grace": limits.grace_seconds,
            "fsize": limits.file_bytes,
            "shell_codes": argv[0] == "bwrap",
            "nproc": limits.processes if os.getuid() else None,
        }
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN), json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,
        )
        self.pid = self._guardian.pid
        self._handle = os.pidfd_open(self.pid)
        self._stop_sent = False

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, waiting no longer than this."""
        ready, _, _ = select.select([self._handle], [], [], max(0.0, seconds))
        return bool(ready)

    def stop(self) -> None:
        """TERM to everything below, a grace, then KILL; returns at once."""
        if not self._stop_sent and self._guardian.stdin:
            self._stop_sent = True
            with contextlib.suppress(BrokenPipeError):
                self._guardian.stdin.write(b"stop\n")
                self._guardian.stdin.flush()

    def ended(self) -> Ended:
        """How it ended; waits for it. Whatever its end, nothing below it is alive afterwards."""
        self._guardian.wait()
        os.close(self._handle)
        if self._guardian.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._guardian.stdin.close()
        try:
            told: dict[str, Any] = json.loads(self._result.read_text())
        except (OSError, ValueError):
            return Ended(error=f"its guardian ended with code {self._guardian.returncode}")
        return Ended(**told)


def carry_out(program: Program, *, seconds: float, stop_when: Callable[[], bool] = lambda: False) -> tuple[Ended, bool]:
    """Waits for a program's end within its time; says how it ended and whether the time ran out."""
    deadline, late = time.monotonic() + seconds, False
    while not program.wait(0.2):
        late = late or time.monotonic() > deadline
        if late or stop_when():
            program.stop()
    return program.ended(), late
