"""Where files lie: under DATA_DIR/files, by names that nobody can guess, written whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings

BLOCK = 1024 * 1024


def root() -> Path:
    return Path(settings.DATA_DIR) / "files"


def path_of(name: str) -> Path:
    """The file that a row names, which never leaves the root: names come from us, and are checked all the same."""
    path = (root() / name).resolve()
    if not path.is_relative_to(root().resolve()):
        raise ValueError(f"{name!r} is outside of the files' folder")
    return path


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when all of it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
        sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy(chunks: Iterable[bytes], target: IO[bytes], limit: int) -> tuple[str, int]:
    """SHA-256 and size of what was copied; raises OverflowError beyond `limit` bytes."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise OverflowError(limit)
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest(), size


def sha256_of(path: Path, size: int | None = None) -> str:
    """SHA-256 of a file, or of its first `size` bytes."""
    digest = hashlib.sha256()
    for block in blocks(path, 0, size):
        digest.update(block)
    return digest.hexdigest()


def blocks(path: Path, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from `start` to `end`; a file that does not exist holds none."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        left = None if end is None else end - start
        while left is None or left > 0:
            block = file.read(BLOCK if left is None else min(BLOCK, left))
            if not block:
                return
            if left is not None:
                left -= len(block)
            yield block
