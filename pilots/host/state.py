"""The agent's own folder: who this host is, its secrets, its slots. 0700, secrets in files of 0600."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pilots.host.wire import Enrolled


class NotEnrolled(Exception):
    """There is no host in this state folder."""


@dataclass(frozen=True)
class State:
    """`host.json` says what may be read by the machine's operator; `token` and `broker` are secrets."""

    folder: Path

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)
        for name in ("runs", "cache", "slots", "logs"):
            (self.folder / name).mkdir(exist_ok=True, mode=0o700)

    def enrol(self, url: str, told: Enrolled, **more: Any) -> None:
        self.make()
        self._secret("token", told["token"])
        self._secret("broker", told["broker_url"])
        public = {"host": told["host"], "url": url, "key_prefix": told["key_prefix"],
                  "hello_seconds": told["hello_seconds"], **more}  # fmt: skip
        # Last, and whole or not at all: whoever finds host.json finds an enrolled host.
        self.write_in(self.folder, "host.json", public)

    def read(self) -> dict[str, Any]:
        try:
            return cast(dict[str, Any], json.loads((self.folder / "host.json").read_text()))
        except (OSError, ValueError) as error:
            raise NotEnrolled(f"{self.folder} holds no enrolled host; run `kernodeck host enrol` first.") from error

    def write_in(self, folder: Path, name: str, value: dict[str, Any]) -> None:
        """A JSON file, whole or not at all."""
        new = folder / f".{name}.{os.getpid()}"
        new.write_text(json.dumps(value, indent=1) + "\n")
        new.replace(folder / name)

    def secret(self, name: str) -> str:
        return (self.folder / name).read_text().strip()

    def _secret(self, name: str, value: str) -> None:
        new = self.folder / f".{name}.new"
        new.unlink(missing_ok=True)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(value + "\n")
        new.replace(self.folder / name)

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def stopping(self) -> Path:
        """There while the agent is being stopped: tasks stop waiting for their supervisors."""
        return self.folder / "stopping"

    def slot(self, number: int = 0) -> int | None:
        """The slot's lock as a descriptor, or None when a run holds it. Held until every copy of it is closed."""
        handle = os.open(self.folder / "slots" / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        return handle

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether this is the only agent on the folder."""
        with (self.folder / "agent.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
