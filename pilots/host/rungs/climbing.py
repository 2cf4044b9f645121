"""Rung after rung, each in a process of its own with a time limit: a hang or a crash is a verdict too."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from pilots.host.rungs.additions import rung_compiler, rung_extensions
from pilots.host.rungs.arithmetic import rung_compute, rung_libraries, rung_memory
from pilots.host.rungs.asking import again, parser
from pilots.host.rungs.base import LADDER, NEED_TORCH, Facts, Failed, NotApplicable
from pilots.host.rungs.blender import rung_blender
from pilots.host.rungs.framework import rung_device, rung_import
from pilots.host.rungs.machine import rung_host, rung_interpreter
from pilots.host.rungs.together import rung_cards

TESTS: dict[int, Callable[[argparse.Namespace], Facts]] = {
    0: rung_host, 1: rung_interpreter, 2: rung_import, 3: rung_device, 4: rung_memory, 5: rung_compute,
    6: rung_libraries, 7: rung_compiler, 8: rung_extensions, 9: rung_cards, 11: rung_blender,
}  # fmt: skip


def line_of(rung: int, verdict: str, facts: Facts, seconds: float, next_: str) -> Facts:
    name, _, proves, not_proves = LADDER[rung]
    return {
        "rung": rung,
        "name": name,
        "verdict": verdict,
        "facts": facts,
        "seconds": round(seconds, 3),
        "proves": proves if verdict == "passed" else "",
        "does_not_prove": not_proves,
        "next": next_,
    }


def inside(rung: int, want: argparse.Namespace) -> None:
    """The child's side: one rung, its outcome left as JSON in a file (stdout belongs to noisy libraries)."""
    try:
        told = {"verdict": "passed", "facts": TESTS[rung](want), "next": ""}
    except NotApplicable as error:
        told = {"verdict": "not_applicable", "facts": error.facts, "next": error.next}
    except Failed as error:
        told = {"verdict": "failed", "facts": error.facts, "next": error.next}
    except BaseException as error:
        told = {
            "verdict": "failed",
            "facts": {"error": f"{type(error).__name__}: {error}"[:2000]},
            "next": "Read the error: it is the first one.",
        }
    if want.result:
        with open(want.result, "w") as file:
            json.dump(told, file)
    sys.exit(0 if told["verdict"] == "passed" else 1)


def climb(rung: int, want: argparse.Namespace) -> Facts:
    """The parent's side: a process and a session of its own, with a time limit; a hang or a crash is a verdict."""
    start, allowed = time.monotonic(), want.time_limit or LADDER[rung][1]
    env = dict(os.environ, CUDA_LAUNCH_BLOCKING="1", AMD_SERIALIZE_KERNEL="3")
    with (
        tempfile.TemporaryDirectory(prefix="diagnostic-") as folder,
        open(os.path.join(folder, "words"), "w+b") as words,
    ):
        result = os.path.join(folder, "result")
        try:
            child = subprocess.Popen(
                [*again(rung, want), "--result", result],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
                env=env,
            )
        except OSError as error:
            return line_of(rung, "failed", {"error": str(error)}, 0, "Give --torch-python an interpreter that starts.")
        try:
            code: int | None = child.wait(allowed)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        seconds = time.monotonic() - start
        if code is None:
            return line_of(
                rung,
                "failed",
                {"error": f"no answer in {allowed} s", "hang": True},
                seconds,
                "A hang is a verdict: look at the kernel's log (dmesg) and restart the driver or the machine.",
            )
        try:
            with open(result) as file:
                told = json.load(file)
        except (OSError, ValueError):
            words.seek(0)
            tail = words.read()[-2000:].decode("utf-8", "replace").splitlines()[-10:]
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return line_of(
                rung,
                "failed",
                {"error": f"crashed with {how}", "crash": how, "last_words": tail},
                seconds,
                "A crash is a verdict: reinstall the package that crashed in the last words.",
            )
    return line_of(rung, told["verdict"], told["facts"], seconds, told["next"])


def ladder(want: argparse.Namespace) -> Iterator[Facts]:
    """Rung after rung; after the first failure the rest is `not_run`, unless asked to go on."""
    stopped = False
    unasked: dict[int, tuple[Facts, str]] = {}  # rungs that an earlier one has answered already
    for rung in sorted(LADDER) if not want.only else sorted(set(map(int, want.only.split(",")))):
        if stopped:
            yield line_of(rung, "not_run", {}, 0, "Repair the first failed rung, or use --keep-going.")
            continue
        if rung in unasked:
            yield line_of(rung, "not_applicable", dict(unasked[rung][0]), 0, unasked[rung][1])
            continue
        told = climb(rung, want)
        if rung == 0:
            want.seen = len(told["facts"].get("cards", []))
        if rung == 2 and told["verdict"] == "not_applicable":
            unasked = dict.fromkeys(NEED_TORCH, (told["facts"], told["next"]))
        elif rung == 2 and told["facts"].get("build") == "cpu" and not want.seen:
            facts = {"error": "CPU build, no card listed: no GPU was proved", "device": "cpu", "gpu_proved": False}
            unasked = dict.fromkeys((3, 9) if want.compile else (3, 7, 9), (facts, "Nothing to do on a CPU machine."))
        stopped = told["verdict"] == "failed" and not want.keep_going
        yield told


def main(argv: list[str] | None = None) -> int:
    want = parser().parse_args(argv)
    if want.rung is not None:
        inside(want.rung, want)
    failed, proved = False, False
    for told in ladder(want):
        failed, proved = failed or told["verdict"] == "failed", proved or bool(told["facts"].get("gpu_proved"))
        print(
            json.dumps(told)
            if want.json
            else f"{told['rung']:>2} {told['name']:<14} {told['verdict']:<15} {told['seconds']:>7.2f} s  "
            + (told["facts"].get("error") or told["proves"])
            + (f"\n   next: {told['next']}" if told["verdict"] == "failed" else ""),
            flush=True,
        )
    if not want.json:
        print(
            "A GPU was proved." if proved else "No GPU was proved.", "A rung failed." if failed else "Nothing failed."
        )
    return 1 if failed else 0
