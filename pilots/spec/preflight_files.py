"""The preflight's look at every file: what must be there, what must not, secrets and machine-bound paths."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pilots.spec.archive import LEFT_OUT
from pilots.spec.config import FILE, REQUIREMENTS_FILE
from pilots.spec.findings import Finding, Level
from pilots.spec.names import Refused, member_path, shown
from pilots.spec.secrets import scan, secret_file

_TEXT: Final = 2 * 1024 * 1024  # larger files are data
_README: Final = re.compile(r"(?i)^(readme|lisez-?moi|l[eé]eme|leia-?me|oku-?beni)(\.[a-z]{2,3})?$")
_SAYS: Final = (
    ("install", r"install|instal[aeo]|kurulum|kurun|\bpip\b|requirements|einricht"),
    ("launch", r"launch|\brun\b|running|start|usage|lanc|exécut|ejecu|execu|inici|çalıştır|başlat|python3? "),
    ("check", r"check|verif|vérif|test|comprob|confer|contrôl|doğrula|denetl|kontrol|prüf"),
)
_POINTERS: Final = (b"version https://git-lfs.github.com/spec", b"/annex/objects/", b"../.git/annex/objects")


class File(NamedTuple):
    path: str
    size: int
    left_out: bool  # not packed: caches, version control


def walk(folder: Path, below: str = "", left_out: bool = False) -> Iterator[File | Finding]:
    """Every file, and a finding for each thing that is none; links are never followed."""
    try:
        entries = sorted(os.scandir(folder / below), key=lambda entry: entry.name)
    except OSError as error:
        yield Finding("unreadable", "error", below, f"The folder cannot be read: {error.strerror}.")
        return
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        out = left_out or entry.name in LEFT_OUT or entry.name.startswith("._")
        if entry.is_symlink():
            if not out:
                yield Finding("link", "error", shown(path), "A link may point to what exists only on this machine.")
        elif entry.is_dir():
            if out and not left_out:
                yield _left_out(path, entry.name)
            yield from walk(folder, path, out)
        elif entry.is_file():
            yield File(path, entry.stat().st_size, out)
        elif not out:
            yield Finding("device", "error", shown(path), "Only files and folders can be packed.")


def _left_out(path: str, name: str) -> Finding:
    if name == ".ipynb_checkpoints":
        message = "Notebook checkpoints hold old copies of your work; they are left out. Remove them."
        return Finding("notebook_checkpoint", "warning", path, message)
    if name == ".git":
        message = "The version control's folder is left out; give the revision in config/pilote.json."
        return Finding("git_folder", "note", path, message)
    return Finding("left_out", "note", path, "This folder is rebuilt on the other machine and left out.")


def check(folder: Path, found: list[File | Finding]) -> Iterator[Finding]:
    """The findings over all files."""
    yield from (row for row in found if isinstance(row, Finding))
    files = [row for row in found if isinstance(row, File) and not row.left_out]
    paths = {file.path for file in files}
    yield from _required(folder, paths)
    for file in files:
        yield from _name(file)
        yield from _content(folder, file)


def _required(folder: Path, paths: set[str]) -> Iterator[Finding]:
    readme = next((path for path in sorted(paths) if _README.match(path)), None)
    if readme is None:
        yield Finding("readme_missing", "error", "README.md", "There is no README with install, launch and check.")
    else:
        text = (folder / readme).read_bytes()[:_TEXT].decode("utf-8", "replace").lower()
        for word, pattern in _SAYS:
            if not re.search(pattern, text):
                yield Finding(f"readme_{word}", "warning", readme, f"The README does not say how to {word}.")
    if not any(path.startswith("src/") for path in paths):
        yield Finding("src_missing", "error", "src/", "There is no program in src/.")
    runs = [path for path in sorted(paths) if path.startswith("runs/") and Path(path).name not in (".gitkeep", ".keep")]
    if runs:
        message = f"runs/ must be empty: {len(runs)} files of earlier runs are left out."
        yield Finding("runs_not_empty", "warning", runs[0], message)


def _name(file: File) -> Iterator[Finding]:
    try:
        member_path(file.path)
    except Refused as refused:
        yield Finding(refused.code, "error", refused.member, refused.message)
        return
    if secret_file(file.path):
        yield Finding("secret_file", "error", file.path, "By its name this file holds secrets; it must not travel.")
    if file.path.endswith(".ipynb"):
        message = "A notebook does not run by itself; the command must start a program."
        yield Finding("notebook", "note", file.path, message)
    if file.path.endswith((".pkl", ".pickle", ".joblib")):
        message = "A pickle can run commands when it is loaded; prefer safetensors or JSON."
        yield Finding("pickle", "warning", file.path, message)


def _content(folder: Path, file: File) -> Iterator[Finding]:
    if file.size > _TEXT or file.path.startswith("runs/"):
        return
    try:
        data = (folder / file.path).read_bytes()
    except OSError as error:
        yield Finding("unreadable", "error", file.path, f"The file cannot be read: {error.strerror}.")
        return
    if any(pointer in data[:400] for pointer in _POINTERS):
        message = "This is a pointer to a file that only exists elsewhere."
        yield Finding("pointer", "error", file.path, message)
    if b"\0" in data[:8192]:
        return
    inputs = file.path.startswith("data/")
    # a document may speak of passwords and folders; a whole token is a secret anywhere
    for seen in scan(data.decode("utf-8", "replace"), assignments=not inputs, paths=not inputs):
        yield _seen(file.path, seen.code, seen.line, seen.what)


def _seen(path: str, code: str, line: int, what: str) -> Finding:
    if code == "secret":
        return Finding(
            "secret", "error", path, f"There is {what} here; its value is not shown. Remove and revoke it.", line
        )
    used = path in (FILE, REQUIREMENTS_FILE) or path.startswith(("src/", "config/"))
    if code == "home_path":
        message = "A path into one person's home folder does not exist on another machine."
        return Finding("home_path", "error" if used else "warning", path, message, line)
    if code == "tilde_path":
        return Finding("home_path", "warning", path, "The home folder is another one on another machine.", line)
    level: Level = "error" if path == FILE else "warning"
    return Finding("absolute_path", level, path, "An absolute path may not exist on another machine.", line)
