"""The host's agent: says hello, shows what the machine proves, keeps a worker alive, and stops cleanly."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from pilots.host import diagnostic, sandbox
from pilots.host.calls import Site, Unreachable
from pilots.host.facts import facts
from pilots.host.folders import Folders
from pilots.host.journal import now
from pilots.host.ladder import read
from pilots.host.program import Limits, Program, carry_out
from pilots.host.state import State
from pilots.host.wire import Enrolled

log = logging.getLogger("kernodeck.agent")
OnStop = Literal["leave", "end"]
STOP_SECONDS: Final = 15.0  # for the worker, and for runs that are ended with the agent
DIAGNOSTIC_SECONDS: Final = 1800.0
RETRY_SECONDS: Final = 10.0
# What the agent and its children may know; the rest of whoever started it is not theirs to see or to hand on.
_KEPT: Final = (
    "PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONUNBUFFERED",
    "LD_LIBRARY_PATH", "ROCM_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "XDG_CACHE_HOME",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip
_CLEANED: Final = "KERNODECK_CLEANED"
_KEPT_PREFIXES: Final = ("LC_", "PIP_", "KERNODECK_", "CUDA_", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "OPENBLAS_", "OMP_")
_NOT_KEPT: Final = frozenset({"KERNODECK_TOKEN"})


def clean(environment: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if (name in _KEPT or name.startswith(_KEPT_PREFIXES)) and name not in _NOT_KEPT
    }


def start_clean(argv: list[str]) -> None:
    """Starts this process anew without its inherited secrets: a program of the same user could read them in /proc.

    Once: an interpreter may add variables of its own at every start (LC_CTYPE, where no language is set).
    """
    if os.environ.get(_CLEANED) != "1" and clean(dict(os.environ)) != dict(os.environ):
        os.environ[_CLEANED] = "1"
        os.execve(sys.executable, [sys.executable, "-m", "pilots.host.cli", *argv], clean(dict(os.environ)))  # noqa: S606


def enrol(url: str, token: str, state: State, name: str = "", **more: Any) -> str:
    """Turns a one-time word into a host of this machine; its name. Raises ValueError when the site says no."""
    state.make()
    answer = Site(url).call("POST", "enrol", {"token": token, "name": name, "facts": facts(state.folder)})
    if not answer.ok:
        raise ValueError(answer.detail)
    told = cast(Enrolled, answer.body)
    state.enrol(url.rstrip("/"), told, **more)
    return told["host"]


def ladder(state: State, *, only: str = "") -> list[dict[str, Any]]:
    """The whole ladder of this machine, every rung tried."""
    folders = Folders(state.folder / "diagnostic")
    (folders.work / "home").mkdir(parents=True, exist_ok=True)
    (folders.work / "tmp").mkdir(exist_ok=True)
    told = folders.root / "diagnostic.jsonl"
    told.unlink(missing_ok=True)
    argv = [sys.executable, str(diagnostic.write(folders.root / diagnostic.NAME)), "--json", "--keep-going"]
    python = state.read().get("torch_python")
    argv += ["--torch-python", python, "--need-torch"] if python else []
    argv += ["--only", only] if only else []
    program = Program(
        argv,
        cwd=folders.work,
        env=sandbox.environment(folders.work, {}),
        stdout=told,
        stderr=folders.work / "words",
        result=folders.work / "diagnostic.json",
        limits=Limits(),
    )
    carry_out(program, seconds=DIAGNOSTIC_SECONDS)
    return list(read(told))


@dataclass
class Agent:
    state: State
    on_stop: OnStop = "leave"
    _over: threading.Event = field(default_factory=threading.Event)
    _status: dict[str, Any] = field(default_factory=dict)
    _worker: "subprocess.Popen[bytes] | None" = None

    def run(self) -> int:
        self.state.make()
        with self.state.alone() as alone:
            if not alone:
                log.error("another agent runs on %s", self.state.folder)
                return 1
            self.state.stopping.unlink(missing_ok=True)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self._over.set())
            self._site = Site(self.state.read()["url"], self.state.secret("token"))
            threading.Thread(target=self._hellos, name="hello", daemon=True).start()
            threading.Thread(target=self._ladders, name="diagnostic", daemon=True).start()
            self._work()
            self._stop()
        return 0

    def _hellos(self) -> None:
        every = float(self.state.read().get("hello_seconds", RETRY_SECONDS))
        while not self._over.is_set():
            told = self._say("hello", lambda: {"facts": facts(self.state.folder)})
            if told is not None:
                every = max(1.0, float(told.get("hello_seconds", every)))
                self._note(hello_at=now(), trouble="")
            self._over.wait(every)

    def _ladders(self) -> None:
        """Once at the start, and again whenever the file `diagnose` appears; never beside a run."""
        asked = self.state.folder / "diagnose"
        asked.touch()
        while not self._over.is_set():
            if asked.exists() and (lock := self.state.slot()) is not None:
                try:
                    asked.unlink(missing_ok=True)
                    rungs = ladder(self.state)
                finally:
                    os.close(lock)
                verdicts = {str(rung["rung"]): rung["verdict"] for rung in rungs}
                self._note(ladder_at=now(), ladder=verdicts)
                while not self._over.is_set():
                    told = self._say("diagnostic", lambda rungs=rungs: {"report": rungs})  # type: ignore[misc]
                    if told is not None:
                        self._note(proved=told.get("proved", []))
                        break
                    self._over.wait(RETRY_SECONDS)
            self._over.wait(1.0)

    def _say(self, path: str, body: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
        try:
            answer = self._site.call("POST", path, body())
        except Unreachable as error:
            self._note(trouble=str(error))
            return None
        except Exception as error:
            log.exception("%s", path)
            self._note(trouble=f"{type(error).__name__}: {error}")
            return None
        if not answer.ok:
            self._note(trouble=f"{path}: {answer.status} {answer.detail}")
            return None
        return answer.body

    def _note(self, **more: Any) -> None:
        if more.get("trouble") and more["trouble"] != self._status.get("trouble"):
            log.warning("%s", more["trouble"])
        self._status.update(more)
        worker = self._worker.pid if self._worker and self._worker.poll() is None else None
        with contextlib.suppress(OSError):
            self.state.write_in(
                self.state.folder, "status.json", {**self._status, "pid": os.getpid(), "worker": worker}
            )

    def _work(self) -> None:
        """Keeps the worker alive. In the main thread: the worker dies with the thread that started it."""
        failures, started = 0, 0.0
        while not self._over.is_set():
            if self._worker is None or self._worker.poll() is not None:
                if self._worker is not None:
                    log.warning("the worker ended with %s", self._worker.returncode)
                    failures = 0 if time.monotonic() - started > 60 else failures + 1
                    self._over.wait(min(30.0, 0.2 * 2**failures))
                started = time.monotonic()
                self._worker = subprocess.Popen(
                    [sys.executable, "-m", "pilots.host.worker", "--state", str(self.state.folder)],
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
            self._over.wait(0.5)

    def _stop(self) -> None:
        """Warm: nothing new is taken; what runs goes on under its supervisor, or is ended with the agent."""
        self.state.stopping.touch()
        worker = self._worker
        if worker and worker.poll() is None:
            worker.terminate()
        if self.on_stop == "end":
            end_runs(self.state, STOP_SECONDS)
        if worker:
            try:
                worker.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
        self._note(stopped_at=now())
        self.state.stopping.unlink(missing_ok=True)


def held_by(state: State, slot: int = 0) -> dict[str, Any] | None:
    """Which run holds a slot; None when it is free."""
    lock = state.slot(slot)
    if lock is not None:
        os.close(lock)
        return None
    try:
        told: dict[str, Any] = json.loads((state.folder / "slots" / f"{slot}.json").read_text())
    except (OSError, ValueError):
        return {}
    return told


def end_runs(state: State, seconds: float) -> bool:
    """Ends what runs here: the supervisor stops the program and tells the site. Whether the slot is free."""
    until = time.monotonic() + seconds
    told = held_by(state)
    if told and _is_supervisor(told.get("pid")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(told["pid"], signal.SIGTERM)
    while (held := held_by(state)) is not None and time.monotonic() < until:
        time.sleep(0.1)
    if held and _is_supervisor(held.get("pid")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(held["pid"], signal.SIGKILL)
            time.sleep(0.5)
    return held_by(state) is None


def _is_supervisor(pid: object) -> bool:
    """A pid read from a file may long be another process's."""
    if not isinstance(pid, int):
        return False
    with contextlib.suppress(OSError):
        return b"pilots.host.supervisor" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
