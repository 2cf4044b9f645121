"""One try of a pilot on this machine, from an empty folder to its hashes: used by the agent and by `kernodeck run`."""

import errno
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pilots.host import collecting, environment, ladder, one_item, sampling, sandbox
from pilots.host.environment import Environment, EnvironmentFailed
from pilots.host.folders import OF_PROGRAM, Folders, open_plain
from pilots.host.journal import Journal, Teller
from pilots.host.launch import Halt, Launched, Launcher, Start
from pilots.host.program import Ended, Limits
from pilots.host.resume import carry_out_test
from pilots.host.wire import Fault, FrozenSpec, Outcome
from pilots.spec import first_error, manifest
from pilots.spec.config import Config
from pilots.spec.criteria import Measured
from pilots.spec.frozen import canonical
from pilots.spec.reasons import reason

# A disk with less than this left is full, whatever the program says of its error.
_FULL_BYTES = 64 * 1024**2


class Ends(Exception):
    """The try ends here: a code of `pilots.spec.reasons` and, for the command line, why in plain English."""

    def __init__(self, code: str, message: str = "", *, exit_code: int | None = None) -> None:
        super().__init__(message or reason(code).sentence)
        self.code, self.exit_code = code, exit_code


@dataclass(frozen=True)
class Result:
    """Why a try ended, and what was measured; whether it is good is for the criteria to say."""

    outcome: Outcome
    reason: str
    fault: Fault | None
    exit_code: int | None
    message: str
    measured: Measured
    seconds: float | None  # of the program alone


@dataclass
class Try:
    """One execution of a frozen spec in a fresh folder. `halt` may be said from any thread."""

    folders: Folders
    spec: FrozenSpec
    config: Config
    cache: Path
    remaining: Sequence[str] | None = None
    checkpoint: Path | None = None  # of an earlier try, to go on from
    env: Mapping[str, str] = field(default_factory=dict)
    halt: Halt = field(default_factory=Halt)
    limits: Limits = field(default_factory=Limits)
    teller: Teller | None = None
    one_item: bool | None = None  # None: where there are cards
    check_inputs: bool = True
    pip_cache: Path | None = None  # only where all projects are one person's

    def __post_init__(self) -> None:
        self.folders.make()
        self.journal = Journal(self.folders.report / "events.jsonl", self.teller)
        self.kind = sandbox.kind()
        self.measured: Measured = {}
        self._launched: Launched | None = None

    def carry_out(self, bring: Callable[["Try"], None]) -> Result:
        """`bring` puts the project into place (its stages are its own to tell). Never raises."""
        message, exit_code = "", None
        try:
            self._go(bring)
            code = "program_ended"
        except Ends as end:
            code, message, exit_code = end.code, str(end), end.exit_code
        except EnvironmentFailed as error:
            code, message = self.halt.reason or error.reason, error.message
            if not self.halt:
                self._first_error_in(["install.log"], message)
        except OSError as error:
            code, message = "host_disk_full" if error.errno == errno.ENOSPC else "agent_failed", str(error)
        except Exception as error:
            code, message = "agent_failed", f"{type(error).__name__}: {error}"
        if code == "program_ended":
            exit_code = 0
        return self._end(code, message, exit_code)

    def _go(self, bring: Callable[["Try"], None]) -> None:
        bring(self)
        self._check_halt()
        self._give()
        self.journal.note("sandbox", sandbox=self.kind)
        found = environment.interpreter(self.cache)
        self.journal.stage("interpreter", path=found.path, version=found.version)
        made = self._environment(found)
        launcher = Launcher(self.config, self.folders, made, self.kind, self.halt, self._limits(), self.env, cards=None)
        self._diagnose(launcher)
        launched = self._launch(launcher)
        failure = self._failure(launched)  # its first error belongs to the stage that the program had reached
        self.journal.stage("collecting", exit_code=launched.ended.exit_code, signal=launched.ended.signal)
        collecting.write_checkpoints(self.folders)
        if failure:
            raise failure
        if self.config.kind == "training":
            self._measure_training(launcher)

    def _environment(self, found: environment.Interpreter) -> Environment:
        self.journal.stage("environment")
        made = environment.prepare(
            self.folders.project,
            found,
            self.cache,
            self.folders.report,
            self.folders.work,
            kind=self.kind,
            pip_cache=self.pip_cache,
            stop_when=lambda: bool(self.halt),
        )
        self._check_halt()
        self.journal.note("environment", key=made.key, reused=made.reused, packages=len(made.freeze()))
        return made

    def _give(self) -> None:
        """What the program is handed; the frozen configuration wins over the archive's."""
        if self.check_inputs:
            try:
                seen: list[Any] = list(manifest.freeze(self.folders.project, self.config))
            except (manifest.ManifestError, OSError) as error:
                raise Ends("inputs_changed", str(error)) from error
            if seen != list(self.spec["manifest"]):
                raise Ends("inputs_changed")
        ids = self.remaining if self.remaining is not None else [item["id"] for item in self.spec["manifest"]]
        (self.folders.given / "remaining.txt").write_text("".join(f"{i}\n" for i in ids), encoding="utf-8")
        (self.folders.root / "spec.json").write_bytes(canonical(self.spec))

    def _limits(self) -> Limits:
        minutes = self.config.criteria.max_minutes
        return replace(self.limits, seconds=minutes * 60) if minutes else self.limits

    def _diagnose(self, launcher: Launcher) -> None:
        self.journal.stage("diagnostic")
        climbed = ladder.climb(
            self.config, launcher.environment, self.folders, kind=self.kind, stop_when=lambda: bool(self.halt)
        )
        self._check_halt()
        if climbed.reused:
            self.journal.note("diagnostic_reused")
        if climbed.failed:
            self._fail_rung(climbed.failed, "diagnostic.jsonl", len(climbed.rungs))
        launcher.cards = sampling.read_cards if climbed.cards else None
        asked = self.one_item if self.one_item is not None else bool(climbed.cards)
        if asked and self.config.kind == "documents":
            rung = one_item.climb(launcher, self.spec["manifest"])
            self._check_halt()
            if rung["verdict"] == "failed":
                self._fail_rung(rung, "diagnostic.jsonl", len(climbed.rungs) + 1)

    def _fail_rung(self, rung: Mapping[str, Any], file: str, line: int) -> None:
        error = str(rung["facts"].get("error", "failed"))
        self.journal.first_error(file, line, "diagnostic", f"{rung['name']}: {error}")
        codes = {"import": "environment_failed", "extensions": "extension_failed", "item": "program_failed"}
        code = codes.get(rung["name"], "diagnostic_failed")
        if rung["name"] == "host":
            wrong = self.config.backend != "any" and "is listed" in error
            code = "backend_mismatch" if wrong else "driver_failed"
        raise Ends(code, f"Rung {rung['rung']}, {rung['name']}: {error}. {rung.get('next', '')}".strip())

    def _launch(self, launcher: Launcher) -> Launched:
        report, resume = self.folders.report, self.config.resume
        start = Start(
            self.folders.output,
            report / "stdout.log",
            report / "stderr.log",
            until_step=resume.until if resume else None,
            checkpoint=self.checkpoint,
        )
        self.journal.stage("launched", command=launcher.arguments(start))
        launched = launcher.run(
            start, samples=report / "samples.jsonl", on_result=lambda: self.journal.stage("processing")
        )
        self._launched = launched
        self.measured["minutes"] = launched.seconds / 60
        self.measured["peak_gpu_memory_bytes"] = launched.peak_gpu_memory_bytes
        if launched.ended.leftovers:
            self.journal.note("leftovers", processes=launched.ended.leftovers)
        if launched.ended.unkillable:
            self.journal.note("unkillable", pids=launched.ended.unkillable)
        return launched

    def _failure(self, launched: Launched) -> Ends | None:
        """How a program that did not run to its end failed; tells its first error."""
        ended, cut = launched.ended, launched.cut
        if cut:
            if reason(cut).fault == "project":
                told = f"{reason(cut).sentence} It was stopped after {launched.seconds:.1f} s."
                self.journal.first_error("events.jsonl", None, cut, told)
            return Ends(cut, exit_code=ended.exit_code)
        if not ended.ok:
            told = f"The program {ended.told()}."
            kind, text = self._first_error_in(["stderr.log", "stdout.log"], told)
            return Ends(_code_of(ended, kind, text, self.folders.root), told, exit_code=ended.exit_code)
        for name in OF_PROGRAM:
            if os.path.lexists(self.folders.file(name)) and name not in self.folders.sizes():
                self.journal.first_error(name, None, "not_plain", f"{name} is a link or no file at all.")
                return Ends("program_failed", f"{name} is not a plain file.", exit_code=0)
        return None

    def _measure_training(self, launcher: Launcher) -> None:
        self.measured.update(collecting.measure_training(launcher, len(self.spec["manifest"])))
        if self.config.resume:
            found = carry_out_test(
                launcher, self.config.resume, self.folders.output, lambda part: self.journal.note("resume", part=part)
            )
            self._check_halt()
            self.measured["resume"] = found.measured()
            self.journal.note("resume_test", **found.measured(), steps=found.steps, tensors=found.tensors,
                              problem=found.problem)  # fmt: skip
            if found.problem:
                self.journal.first_error("metrics.jsonl", None, "resume", found.problem)
                raise Ends("resume_failed", found.problem, exit_code=0)

    def _first_error_in(self, names: Sequence[str], otherwise: str) -> tuple[str, str]:
        """Tells the first error of the first file that has one; returns its kind and text."""
        for look in (first_error.find, first_error.last_words):
            for name in names:
                path = self.folders.file(name)
                if not path.exists():
                    continue
                with open_plain(path) as raw:
                    found = look(line.decode("utf-8", "replace") for line in raw)
                if found:
                    with open_plain(path) as raw:
                        around = first_error.around((line.decode("utf-8", "replace") for line in raw), found.line)
                    self.journal.first_error(name, found.line, found.kind, found.text, around)
                    return found.kind, found.text
        self.journal.first_error(names[0], None, "unknown", otherwise)
        return "unknown", otherwise

    def _check_halt(self) -> None:
        if self.halt:
            raise Ends(self.halt.reason)

    def _end(self, code: str, message: str, exit_code: int | None) -> Result:
        known, launched = reason(code), self._launched
        facts: dict[str, Any] = {
            "sandbox": self.kind,
            "seconds": launched.seconds if launched else None,
            "peak_rss_bytes": launched.peak_rss_bytes if launched else None,
            "peak_gpu_memory_bytes": launched.peak_gpu_memory_bytes if launched else None,
            "cpu_seconds": launched.ended.cpu_seconds if launched else None,
            "signal": launched.ended.signal if launched else None,
        }
        self.journal.note("measured", measured=self.measured)
        self.journal.end(known.outcome, code, known.fault, exit_code, facts=facts, message=message[:2000])
        return Result(
            known.outcome, code, known.fault, exit_code, message or known.sentence, self.measured, facts["seconds"]
        )


def _code_of(ended: Ended, kind: str, text: str, folder: Path) -> str:
    """The reason code of a program that ended by itself and badly, by its signal and its first error."""
    if ended.error:
        return "agent_failed" if "guardian" in ended.error else "program_missing"
    if ended.exit_code == 1 and text.startswith("bwrap: "):
        return "program_missing" if text.startswith("bwrap: execvp") else "sandbox_failed"
    if ended.signal == 25:  # SIGXFSZ: a file grew beyond its limit
        return "output_limit"
    codes = {
        "gpu_memory": "gpu_memory",
        "memory": "program_memory",
        "gpu_lost": "gpu_lost",
        "gpu_driver": "driver_failed",
    }
    if kind == "disk":
        return "host_disk_full" if shutil.disk_usage(folder).free < _FULL_BYTES else "output_limit"
    if kind in codes:
        return codes[kind]
    return "program_killed" if ended.signal else "program_failed"


def cache_folder() -> Path:
    """Where the command line keeps environments between runs."""
    base = os.environ.get("KERNODECK_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kernodeck"
    )
    return Path(base) / "environments"
