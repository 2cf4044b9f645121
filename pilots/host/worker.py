"""The Celery worker of a host: a message is a wake-up of two words, and the work is another process's."""

import argparse
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

from pilots.host import guardian
from pilots.host.state import State
from pilots.host.wire import QUEUE, TASK_WAKE

log = logging.getLogger("kernodeck.worker")


def settings(key_prefix: str) -> dict[str, Any]:
    """Measured, each one: with others a worker goes deaf when Redis comes back, or runs a task twice."""
    return {
        "broker_transport_options": {
            "global_keyprefix": key_prefix,
            "ack_emulation": False,
            "socket_timeout": 10,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 5,
        },
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_default_queue": QUEUE,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
    }


def make(state: State) -> Celery:
    # `fixups=[]`: Celery would set up Django where it finds a settings module in the environment.
    app = Celery("kernodeck-host", broker=state.secret("broker"), fixups=[])
    app.conf.update(settings(state.read()["key_prefix"]))

    spare = Spare(state)

    def wake(run: str, attempt: int) -> str:
        return take(state, spare, run, attempt)

    def begin(**_: object) -> None:
        spare.ready()

    app.task(name=TASK_WAKE)(wake)
    worker_process_init.connect(begin, weak=False)
    return app


@dataclass
class Spare:
    """A supervisor that has started and waits for its run: what it imports takes longer than all else on the way.

    It ends by itself when this process does. Given a run and the slot's lock, it goes on alone.
    """

    state: State
    _process: "subprocess.Popen[bytes] | None" = None
    _line: socket.socket | None = None

    def ready(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._line, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pilots.host.supervisor", "--state", str(self.state.folder),
             "--line", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # signals to the worker's group do not reach it
            pass_fds=[theirs.fileno()],
        )  # fmt: skip
        theirs.close()

    def send(self, run: str, attempt: int, slot: int, lock: int) -> "subprocess.Popen[bytes]":
        self.ready()
        process, line = self._process, self._line
        self._process = self._line = None
        if process is None or line is None:
            raise RuntimeError("a spare that was made is there")
        with line:
            told = json.dumps({"run": run, "attempt": attempt, "slot": slot}).encode()
            socket.send_fds(line, [told], [lock])
        return process


def take(state: State, spare: Spare, run: str, attempt: int, slot: int = 0) -> str:
    """Hands the slot's lock to a supervisor, and waits for it so that this slot takes nothing else."""
    if not run.isalnum():  # it becomes a file's name
        raise ValueError("not a run's reference")
    lock = state.slot(slot)
    if lock is None:
        log.info("%s/%s: the slot is held, another offer will come", run, attempt)
        return "busy"
    try:
        supervisor = spare.send(run, int(attempt), slot, lock)
    finally:
        os.close(lock)  # ours; the supervisor's copy holds it from here on
    handle = os.pidfd_open(supervisor.pid)
    try:
        while not select.select([handle], [], [], 0.5)[0]:
            if state.stopping.exists():
                return "left"
    finally:
        os.close(handle)
    code = supervisor.wait()
    spare.ready()
    return f"ended {code}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", type=Path, required=True)
    want = parser.parse_args(argv)
    parent = os.getppid()
    guardian.control(guardian.PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 1
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    state = State(want.state)
    name = state.read()["host"]
    make(state).worker_main(
        ["worker", "--without-mingle", "--without-gossip", "--without-heartbeat", "--pool", "prefork",
         "--concurrency", "1", "--queues", QUEUE, "--hostname", f"{name}@%h", "--loglevel", "INFO"]
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
