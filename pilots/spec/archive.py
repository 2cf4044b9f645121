"""Archives of project folders: checked and unpacked member by member, counted while reading; packed without surprises.

Nothing of an archive is believed: not its sizes, not its names, not its kinds. What is not a plain file or a folder
inside the archive's own tree is refused with a stable code before a byte is written under its name.
"""

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from pilots.spec.config import EXPECTED_FILE, FILE
from pilots.spec.names import Refused, folded, member_path, shown
from pilots.spec.tar import tar_members
from pilots.spec.unpacking import BLOCK, Limits, Member
from pilots.spec.zip import zip_members

__all__ = ["Content", "Limits", "Refused", "check", "files", "for_host", "pack", "repack", "root_of", "unpack"]

# Never packed anew: rebuilt elsewhere, or a machine's own.
LEFT_OUT: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", "venv", ".mypy_cache", ".ruff_cache", ".pytest_cache",
     ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "node_modules", ".idea", ".vscode", "__MACOSX"}
)  # fmt: skip
_ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Content:
    """What a checked archive holds; `root` is the folder that all members lie in, empty when there is none."""

    kind: str  # "zip" or "tar.gz"
    sha256: str  # of the archive itself
    root: str
    files: dict[str, int]  # path below the root → size
    total: int


def check(path: Path, limits: Limits | None = None) -> Content:
    """Read every byte of an archive and write none; raises Refused."""
    sizes: dict[str, int] = {}

    def take(member: Member) -> None:
        if not member.folder:
            sizes[member.path] = sum(len(block) for block in member.blocks)

    kind = _each(path, limits or Limits(), take)
    if not sizes:
        raise Refused("empty", "The archive holds no file.")
    root = root_of(sizes)
    below = {name[len(root) :]: size for name, size in sorted(sizes.items()) if name.startswith(root)}
    return Content(kind, _sha256(path), root.rstrip("/"), below, sum(sizes.values()))


def files(path: Path, limits: Limits | None = None) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Every file of an archive in its order, as path (root included) and blocks; each must be read before the next."""
    with _opened(path, limits or Limits()) as (_, members):
        for member in _guarded(members, limits or Limits()):
            if not member.folder:
                yield member.path, member.blocks


def unpack(path: Path, target: Path, limits: Limits | None = None) -> Content:
    """Unpack into `target`, which must not exist yet; either all of it appears or nothing. Raises Refused."""
    if target.exists() or target.is_symlink():
        raise FileExistsError(f"{target} exists already")
    content = check(path, limits)  # all of it is read first: a fault in the last member leaves no file behind
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        prefix = f"{content.root}/" if content.root else ""

        def take(member: Member) -> None:
            if member.path.startswith(prefix):
                _write(work / member.path[len(prefix) :], member)

        _each(path, limits or Limits(), take)
        work.chmod(0o755)
        work.rename(target)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return content


def repack(path: Path, target: BinaryIO, *, leave_out: Collection[str] = (), limits: Limits | None = None) -> str:
    """Write an archive anew as a zip with the paths that `pack` takes, sorted, without times, owners or comments.

    The same content gives the same bytes, whatever archive it came in. Returns the SHA-256 of what was written.
    """
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "project"
        unpack(path, unpacked, limits)
        return _zip(unpacked, list(packed_files(unpacked)), target, leave_out)


def for_host(path: Path, target: BinaryIO, limits: Limits | None = None) -> str:
    """The archive that a host gets: without the expected answers, which no program may see."""
    return repack(path, target, leave_out={EXPECTED_FILE}, limits=limits)


def pack(folder: Path, target: BinaryIO) -> str:
    """A folder as a deterministic zip without caches, environments, version control or the content of `runs/`."""
    return _zip(folder, list(packed_files(folder)), target, ())


def digest_of(folder: Path) -> str:
    """The hash that `pack` would give, without writing anything."""
    with Path(os.devnull).open("wb") as nowhere:
        return pack(folder, nowhere)


def packed_files(folder: Path) -> Iterator[str]:
    """The paths that `pack` takes, sorted; links are refused."""
    for path in _walk(folder, Path()):
        if not path.startswith("runs/") and not path.endswith((".pyc", "~", ".swp")):
            yield path


def root_of(paths: Iterable[str]) -> str:
    """The single top folder that a project lies in, with its slash; empty when the project is at the top."""
    listed = list(paths)
    tops = {path.partition("/")[0] for path in listed if not path.startswith(("__MACOSX/", "._"))}
    if FILE in listed or len(tops) != 1 or any("/" not in path for path in listed):
        return ""
    return f"{tops.pop()}/"


def _each(path: Path, limits: Limits, take: Callable[[Member], None]) -> str:
    with _opened(path, limits) as (kind, members):
        for member in _guarded(members, limits):
            take(member)
    return kind


@contextmanager
def _opened(path: Path, limits: Limits) -> Iterator[tuple[str, Iterator[Member]]]:
    size = path.stat().st_size
    if size > limits.packed_bytes:
        raise Refused("too_large", f"The archive is larger than {limits.packed_bytes} bytes.")
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start == b"PK\x03\x04":
            yield "zip", zip_members(file, size, limits)
        elif start[:2] == b"\x1f\x8b":
            yield "tar.gz", tar_members(file, limits)
        elif start == b"PK\x05\x06":
            raise Refused("empty", "The archive holds no file.")
        else:
            raise Refused("not_an_archive", "The file is neither a zip nor a tar.gz archive.")


def _guarded(members: Iterator[Member], limits: Limits) -> Iterator[Member]:
    """The rules that hold for both formats: names, doubles, counts, sizes while reading."""
    kinds: dict[str, tuple[str, bool]] = {}  # folded path → path, is it a folder
    total, count = 0, 0
    for member in members:
        count += 1
        if count > limits.members:
            raise Refused("too_many_members", f"The archive holds more than {limits.members} members.")
        path = member_path(member.path)
        if not path:
            continue
        _place(path, member.folder, kinds)
        read = 0

        def counted(blocks: Iterable[bytes] = member.blocks, name: str = path) -> Iterator[bytes]:
            nonlocal total, read
            for block in blocks:
                read += len(block)
                total += len(block)
                if read > limits.member_bytes:
                    raise Refused("member_too_large", f"A file is larger than {limits.member_bytes} bytes.", name)
                if total > limits.unpacked_bytes:
                    raise Refused("unpacked_too_large", f"More than {limits.unpacked_bytes} bytes unpacked.", name)
                yield block

        blocks = counted()
        yield Member(path, member.folder, member.executable, blocks)
        for _ in blocks:  # what was not read is counted all the same
            pass


def _place(path: str, folder: bool, kinds: dict[str, tuple[str, bool]]) -> None:
    parts = path.split("/")
    for end in range(1, len(parts)):
        _claim("/".join(parts[:end]), True, kinds, path)
    if not folder and (taken := kinds.get(folded(path))) is not None and taken[0] == path and not taken[1]:
        raise Refused("duplicate_name", "Two members have the same name.", shown(path))
    _claim(path, folder, kinds, path)


def _claim(path: str, folder: bool, kinds: dict[str, tuple[str, bool]], name: str) -> None:
    taken = kinds.setdefault(folded(path), (path, folder))
    if taken[0] != path:
        raise Refused("duplicate_by_case", "Two names differ only by case or by writing.", shown(name))
    if taken[1] != folder:
        raise Refused("file_as_folder", "One name is both a file and a folder.", shown(name))


def _write(path: Path, member: Member) -> None:
    if member.folder:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # exclusive and without following: the target was empty and ours, so anything already there is an attack
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        for block in member.blocks:
            file.write(block)
    path.chmod(0o755 if member.executable else 0o644)


def _walk(folder: Path, below: Path) -> list[str]:
    found: list[str] = []
    for entry in sorted(os.scandir(folder / below), key=lambda entry: entry.name):
        name = (below / entry.name).as_posix()
        if entry.name in LEFT_OUT or entry.name.startswith("._"):
            continue
        if entry.is_symlink():
            raise Refused("link", "A link may point to what exists only on this machine.", shown(name))
        if entry.is_dir():
            found += _walk(folder, below / entry.name)
        elif entry.is_file():
            found.append(name)
        else:
            raise Refused("device", "Only files and folders can be packed.", shown(name))
    return sorted(found)


def _zip(folder: Path, paths: list[str], target: BinaryIO, leave_out: Collection[str]) -> str:
    tell: Any = _Hashed(target)
    with zipfile.ZipFile(tell, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in paths:
            if path in leave_out:
                continue
            source = folder / path
            info = zipfile.ZipInfo(member_path(path), _ZIP_TIME)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            executable = bool(source.stat().st_mode & 0o100)
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            info.file_size = source.stat().st_size  # lets zipfile choose zip64 for large files only
            with source.open("rb") as file, archive.open(info, "w") as member:
                shutil.copyfileobj(file, member, BLOCK)
    return str(tell.digest.hexdigest())


class _Hashed:
    """A sink that hashes what passes; it cannot seek, so zipfile writes each byte once and in order."""

    def __init__(self, target: BinaryIO) -> None:
        self._target, self._at = target, 0
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self._at += len(data)
        return self._target.write(data)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        self._target.flush()

    def seekable(self) -> bool:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
