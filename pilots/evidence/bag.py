"""Writes a BagIt 1.0 folder into a zip: the same content gives the same bytes."""

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, Final

from pilots import storage
from pilots.evidence.statement import PUBLIC_KEY, STATEMENT, TAG_MANIFEST

PAYLOAD_MANIFEST: Final = "manifest-sha256.txt"
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_DECLARATION: Final = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


@dataclass(frozen=True)
class Entry:
    """One file of the payload: its path below `data/`, and its bytes or the first `size` bytes of a file."""

    path: str
    data: bytes = b""
    source: Path | None = None
    size: int = 0

    def blocks(self) -> Iterator[bytes]:
        if self.source is None:
            yield self.data
        else:
            yield from storage.blocks(self.source, 0, self.size)


class Writer:
    """Adds files in order and remembers their hashes."""

    def __init__(self, target: IO[bytes], root: str) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self._root = root
        self.hashes: dict[str, str] = {}
        self.bytes = 0

    def add(self, name: str, blocks: Iterable[bytes], size: int) -> None:
        info = zipfile.ZipInfo(f"{self._root}/{name}", _TIME)
        info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
        info.file_size = size  # lets zipfile choose zip64 for large files only
        digest, written = hashlib.sha256(), 0
        with self._zip.open(info, "w") as member:
            for block in blocks:
                digest.update(block)
                written += len(block)
                member.write(block)
        if written != size:
            raise OSError(f"{name} has {written} bytes, not {size}")
        self.hashes[name] = digest.hexdigest()
        self.bytes += written

    def manifest(self, names: Iterable[str]) -> bytes:
        """`sha256  path` lines; BagIt escapes only line ends and the percent sign."""
        return "".join(f"{self.hashes[name]}  {_escaped(name)}\n" for name in names).encode()

    def close(self) -> None:
        self._zip.close()


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def write(
    target: IO[bytes],
    root: str,
    entries: Iterable[Entry],
    info: dict[str, str],
    day: date,
    seal: Callable[[str], tuple[bytes, bytes]],
) -> int:
    """The zip of a bag. `seal` gets the tag manifest's hash and gives the signed statement and the public key.

    Returns how many files the bag's manifests list.
    """
    writer = Writer(target, root)
    for entry in sorted(entries, key=lambda entry: entry.path):
        size = len(entry.data) if entry.source is None else entry.size
        writer.add(f"data/{entry.path}", entry.blocks(), size)
    payload = sorted(writer.hashes)
    about = {**info, "Bagging-Date": day.isoformat(), "Payload-Oxum": f"{writer.bytes}.{len(payload)}"}
    tags = {
        "bag-info.txt": "".join(f"{key}: {_line(value)}\n" for key, value in sorted(about.items())).encode(),
        "bagit.txt": _DECLARATION,
        PAYLOAD_MANIFEST: writer.manifest(payload),
    }
    for name, data in tags.items():
        writer.add(name, [data], len(data))
    tag_manifest = writer.manifest(sorted(tags))
    writer.add(TAG_MANIFEST, [tag_manifest], len(tag_manifest))
    statement, public = seal(writer.hashes[TAG_MANIFEST])
    for name, data in ((STATEMENT, statement), (PUBLIC_KEY, public)):
        writer.add(name, [data], len(data))
    writer.close()
    return len(payload) + len(tags)


def _line(value: str) -> str:
    return " ".join(value.split())
