"""Where the files of one try lie, and how they are read without following what a program put there."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from pilots.host.wire import FILES

# The program writes these; all the other files are the agent's.
OF_PROGRAM: Final = ("results.jsonl", "metrics.jsonl")


@dataclass(frozen=True)
class Folders:
    """A fresh directory for one try."""

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @property
    def report(self) -> Path:
        return self.root / "report"

    @property
    def given(self) -> Path:
        """What the program is handed beside its project: the ids that remain."""
        return self.root / "given"

    @property
    def work(self) -> Path:
        """The try's own home and temporary folder."""
        return self.root / "work"

    def make(self) -> None:
        """Everything empty; a folder that is there already is refused, since a try never inherits."""
        self.root.mkdir(parents=True, mode=0o700)
        for folder in (self.output, self.report, self.given, self.work / "home", self.work / "tmp"):
            folder.mkdir(parents=True)

    def file(self, name: str) -> Path:
        return (self.output if name in OF_PROGRAM else self.report) / name

    def sizes(self) -> dict[str, int]:
        """Bytes of each file that may be shipped, of those that are there."""
        sizes = {}
        for name in FILES:
            try:
                status = os.lstat(self.file(name))
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                sizes[name] = status.st_size
        return sizes


def checkpoints(output: Path) -> Iterator[Path]:
    """The plain files below an output's `checkpoints/`, in order of their paths."""
    for folder, folders, names in os.walk(output / "checkpoints"):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def newest_checkpoint(output: Path) -> Path | None:
    return max(checkpoints(output), key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def open_plain(path: Path) -> BinaryIO:
    """A file for reading that is no link, pipe or device: a program may leave any of these under a known name."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path.name} is not a plain file")
    return os.fdopen(handle, "rb")
