"""The diagnostic ladder as a try climbs it: in the program's environment and sandbox, kept while nothing changed."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pilots.host import diagnostic, sandbox
from pilots.host.environment import Environment
from pilots.host.folders import Folders
from pilots.host.journal import append, now
from pilots.host.program import Limits, Program, carry_out
from pilots.spec.config import Config

# A ladder that held is not climbed again on the same boot, cards and environment for this long.
KEPT_SECONDS: Final = 3600.0
_SECONDS: Final = 1800.0


@dataclass(frozen=True)
class Climbed:
    rungs: list[dict[str, Any]]
    reused: bool

    @property
    def failed(self) -> dict[str, Any] | None:
        return next((rung for rung in self.rungs if rung["verdict"] == "failed"), None)

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The cards that the machine listed on the way."""
        return next((list(rung["facts"].get("cards") or []) for rung in self.rungs if rung["rung"] == 0), [])


def climb(
    config: Config,
    environment: Environment,
    folders: Folders,
    *,
    kind: sandbox.Kind,
    stop_when: Callable[[], bool] = lambda: False,
) -> Climbed:
    """Climbs for one try; its lines are left in `diagnostic.jsonl`."""
    told, want = folders.report / "diagnostic.jsonl", _wanted(config, environment)
    kept = environment.folder / f"ladder-{_digest([want, _boot(), _devices(), kind])}.json"
    if rungs := _kept(kept):
        for rung in rungs:
            append(told, rung)
        return Climbed(rungs, reused=True)
    # Beside the folders that the project's own code may write, in none of them.
    script = diagnostic.write(folders.root / diagnostic.NAME)
    view = sandbox.View(
        writable=(folders.work,), readable=(environment.folder, script, *environment.seen), tmp=folders.work / "tmp"
    )
    program = Program(
        sandbox.wrap([str(environment.python), str(script), "--json", *want], view, kind),
        cwd=folders.work,
        env=sandbox.environment(folders.work, {}, [environment.python.parent]),
        stdout=told,
        stderr=folders.work / "diagnostic.log",
        result=folders.work / "diagnostic.json",
        limits=Limits(),
    )
    ended, late = carry_out(program, seconds=_SECONDS, stop_when=stop_when)
    rungs = list(read(told))
    if not rungs or (not any(rung["verdict"] == "failed" for rung in rungs) and (late or ended.exit_code)):
        words = (folders.work / "diagnostic.log").read_text(errors="replace")[-500:]
        rung = _own_failure("no answer in its time" if late else f"the ladder {ended.told()}: {words}")
        append(told, rung)
        return Climbed([*rungs, rung], reused=False)
    climbed = Climbed(rungs, reused=False)
    if climbed.failed is None:
        _keep(kept, rungs)
    return climbed


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The rungs of a ladder's lines; half a line is none."""
    with contextlib.suppress(OSError), path.open(encoding="utf-8") as file:
        for line in file:
            with contextlib.suppress(ValueError):
                yield json.loads(line)


def _wanted(config: Config, environment: Environment) -> list[str]:
    """What this project needs of the machine. Compilers and stress are asked for by the host's own ladder only."""
    want = ["--only", "0,1,2,3,4,5,6,8,9", "--fill", "0.5"]
    if config.backend in ("cuda", "rocm"):
        want += ["--backend", config.backend]
    if config.extensions:
        want += ["--extensions", ",".join(config.extensions)]
    if any(line.lower().startswith("torch==") for line in environment.freeze()):
        want += ["--need-torch"]
    return want


def _kept(path: Path) -> list[dict[str, Any]] | None:
    with contextlib.suppress(OSError, ValueError):
        told = json.loads(path.read_text())
        if 0 <= time.time() - told["at"] < KEPT_SECONDS:
            rungs: list[dict[str, Any]] = told["rungs"]
            return rungs
    return None


def _keep(path: Path, rungs: list[dict[str, Any]]) -> None:
    at = now()
    lines = [{**rung, "facts": {**rung["facts"], "observed_at": at}} for rung in rungs]
    new = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps({"at": time.time(), "rungs": lines}))
        new.replace(path)


def _own_failure(error: str) -> dict[str, Any]:
    return {
        "rung": 0,
        "name": "host",
        "verdict": "failed",
        "facts": {"error": error},
        "seconds": 0.0,
        "proves": "",
        "does_not_prove": "",
        "next": "Run the diagnostic alone on this machine.",
    }


def _boot() -> str:
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def _devices() -> list[str]:
    return sorted(name for name in os.listdir("/dev") if name.startswith(("nvidia", "kfd", "dri")))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
