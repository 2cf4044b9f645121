"""Files that anyone may take home: the diagnostic and the CPU mini-project, the same bytes for everyone."""

import io
import runpy
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

DIAGNOSTIC = Path(settings.BASE_DIR) / "pilots" / "host" / "diagnostic.py"
PROJECT = Path(settings.BASE_DIR) / "examples" / "documents"
# What a run or an editor leaves behind is no part of a project.
LEFT_BEHIND = {"runs", "__pycache__", ".venv", ".git"}


@dataclass(frozen=True)
class Download:
    """A file of the home page. `read` answers nothing where this installation does not hold its source."""

    name: str
    kind: str
    title: Promise
    sentence: Promise
    read: Callable[[], bytes]

    @property
    def size(self) -> int:
        return len(self.read())


@lru_cache(maxsize=1)
def diagnostic() -> bytes:
    """As the host's own module puts it together; asked by its path: no room imports upwards."""
    return str(runpy.run_path(str(DIAGNOSTIC))["source"]()).encode() if DIAGNOSTIC.is_file() else b""


def project() -> bytes:
    files = sorted(members(PROJECT))
    return packed(tuple((path, path.stat().st_mtime_ns) for path in files)) if files else b""


def members(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not LEFT_BEHIND & set(path.relative_to(folder).parts):
            yield path


@lru_cache(maxsize=1)
def packed(files: tuple[tuple[Path, int], ...]) -> bytes:
    """A zip of the project folder in which nothing depends on the day or the machine; `runs/` is there and empty."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, _changed in files:
            archive.writestr(entry(f"{path.relative_to(PROJECT).as_posix()}"), path.read_bytes())
        archive.writestr(entry("runs/.gitkeep"), b"")
    return out.getvalue()


def entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(f"mini-pilot/{name}", (2026, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


DOWNLOADS = {
    download.name: download
    for download in (
        Download(
            "kernodeck-diagnose.py",
            "text/x-python; charset=utf-8",
            _("Diagnostic"),
            _("One file without dependencies. Says what each check proves and what it does not."),
            diagnostic,
        ),
        Download(
            "mini-pilot.zip",
            "application/zip",
            _("CPU mini-project"),
            _("Twelve documents, one of them to refuse, and a real model. Runs on an ordinary laptop."),
            project,
        ),
    )
}


def offered() -> list[Download]:
    return [download for download in DOWNLOADS.values() if download.read()]
