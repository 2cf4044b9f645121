"""Starts one program under limits and answers for every process it leaves behind.

A script of its own without imports from the house (`python -I -S guardian.py JSON`), so that it starts in a few
milliseconds and can fork without threads. Its standard input is its lifeline: a line `stop` means TERM, grace, KILL;
the end of the stream means that whoever started it is gone, and everything is killed at once.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
# A process in uninterruptible sleep cannot be killed; after this long it is named instead of waited for.
UNKILLABLE_SECONDS = 15.0


def control(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def parents() -> dict[int, tuple[int, str]]:
    """Every process of the machine: its parent and its short name."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    stat = file.read().decode("utf-8", "replace")
            except OSError:
                continue
            # The short name stands in brackets and may itself hold brackets and spaces.
            start, end = stat.index("("), stat.rindex(")")
            if stat[end + 2] != "Z":
                found[int(name)] = (int(stat[end + 4 :].split()[0]), stat[start + 1 : end])
    return found


def descendants(root: int) -> dict[int, str]:
    """All living processes below one, by their short names. Orphans count: this process is their reaper."""
    table = parents()
    below: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        below.setdefault(parent, []).append(pid)
    found, todo = {}, list(below.get(root, []))
    while todo:
        pid = todo.pop()
        found[pid] = table[pid][1]
        todo += below.get(pid, [])
    return found


def send(signal_number: int, *, spare: str = "") -> int:
    """Signals every descendant but those named `spare`; says how many there were."""
    told = 0
    for pid, name in descendants(os.getpid()).items():
        if name != spare:
            told += 1
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal_number)
    return told


def limit(kind: int, value: int | None) -> None:
    if value is not None:
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def become(settings: dict[str, Any], parent: int) -> None:
    """The child's side, up to exec: session, limits, streams. Never returns."""
    os.setsid()
    control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died between fork and prctl
        os._exit(127)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        handle = os.open(settings[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        os.dup2(handle, number)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, settings.get("fsize"))
    limit(resource.RLIMIT_NPROC, settings.get("nproc"))
    # What this process ignores, the program would inherit.
    for signal_number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(signal_number, signal.SIG_DFL)
    os.chdir(settings["cwd"])
    os.execvp(settings["argv"][0], settings["argv"])  # noqa: S606


def start(settings: dict[str, Any]) -> tuple[int, str]:
    """The program's pid, or 0 and why it could not be started."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    parent, child = os.getpid(), os.fork()
    if child == 0:
        try:
            signal.set_wakeup_fd(-1)
            become(settings, parent)
        except BaseException as error:
            os.write(writer, f"{settings['argv'][0]}: {getattr(error, 'strerror', None) or error}".encode())
        os._exit(127)
    os.close(writer)
    with os.fdopen(reader, "rb") as words:
        trouble = words.read().decode("utf-8", "replace")
    if trouble:
        os.waitpid(child, 0)
        return 0, trouble
    return child, ""


def reap(program: int) -> tuple[int, Any] | None:
    """Collects every ended child; the program's own end, if it is among them."""
    ended = None
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == program:
            ended = (status, usage)


def sweep() -> list[int]:
    """Kills whatever is left below, again and again until nothing is; names what would not die."""
    end = time.monotonic() + UNKILLABLE_SECONDS
    while send(signal.SIGKILL):
        reap(0)
        if time.monotonic() > end:
            return sorted(descendants(os.getpid()))
        time.sleep(0.005)
    reap(0)
    return []


def watch(program: int, grace: float, wakeup: int) -> tuple[tuple[int, Any] | None, bool]:
    """Waits for the program's end or for a word on the lifeline; says how it ended and whether it was told to."""
    stopped, deadline = False, float("inf")
    lifeline = [0]
    while True:
        ended = reap(program)
        if ended is not None:
            return ended, stopped
        if time.monotonic() >= deadline:
            return None, True
        wait = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([*lifeline, wakeup], [], [], wait)
        if wakeup in ready:
            os.read(wakeup, 4096)
        if 0 in ready:
            if not os.read(0, 64):
                return None, True
            if not stopped:
                stopped, deadline = True, time.monotonic() + grace
                # bwrap itself is spared: it would end at once and take the program with it, without a grace.
                send(signal.SIGTERM, spare="bwrap")


def main() -> int:
    settings = json.loads(sys.argv[1])
    control(PR_SET_CHILD_SUBREAPER, 1)
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writer)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # its only orders come through the lifeline
    told: dict[str, Any] = {"exit_code": None, "signal": None, "stopped": False, "leftovers": [], "error": ""}
    program, told["error"] = start(settings)
    if program:
        ended, told["stopped"] = watch(program, settings["grace"], reader)
        told["leftovers"] = sorted(set(descendants(os.getpid()).values()) - {"bwrap"}) if ended else []
        if ended is None:
            send(signal.SIGKILL)
            end = time.monotonic() + UNKILLABLE_SECONDS
            while (ended := reap(program)) is None and time.monotonic() < end:
                send(signal.SIGKILL)
                time.sleep(0.005)
        told["unkillable"] = sweep()
        if ended is not None:
            status, usage = ended
            code = os.waitstatus_to_exitcode(status)
            if settings.get("shell_codes") and 128 < code < 160:  # bwrap tells a signal as a shell does
                code = 128 - code
            told["exit_code"], told["signal"] = (code, None) if code >= 0 else (None, -code)
            told["cpu_seconds"], told["max_rss_bytes"] = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    with open(settings["result"] + ".new", "w") as file:
        json.dump(told, file)
    os.replace(settings["result"] + ".new", settings["result"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
