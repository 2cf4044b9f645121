"""A project archive is received: kept whole, looked at, and copied without its expected answers for the host."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from common import formats
from common.codes import reference
from common.refusals import Refusal
from pilots import storage
from pilots.archive_words import sentence
from pilots.models import Project
from pilots.spec import config, expected, limited, manifest, names
from pilots.spec.words import Item
from rental.models import User

RECEIVED, FOR_HOST, MANIFEST = "received", "host.zip", "manifest.json"
MOST_FILES = 2_000  # whose hashes are compared between tries


@dataclass
class Found:
    """What an unpacked project turned out to be."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    config: dict[str, Any] | None = None
    expected: dict[str, str] | None = None
    manifest: list[Item] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  # hashes by path, without the inputs

    def error(self, code: str, path: str, message: str, line: int | None = None) -> None:
        """An error that the preflight did not already tell."""
        if not any((known["code"], known["path"]) == (code, path) for known in self.findings):
            self.findings.append({"code": code, "level": "error", "path": path, "line": line, "message": message})


def receive(customer: User, upload: "UploadedFile[Any]") -> Project:
    """Store and inspect an archive; what is wrong with the project itself becomes `project.findings`.

    Raises:
        Refusal: `archive_*` when it is no archive, too large, or crafted to leave its folder. Nothing is kept then.
    """
    folder = Path("projects") / reference()
    try:
        sha256, size = _keep(upload, storage.path_of(str(folder / RECEIVED)))
        return _look(customer, (upload.name or "project")[:200], folder, sha256, size)
    except BaseException:
        shutil.rmtree(storage.path_of(str(folder)), ignore_errors=True)
        raise


def manifest_of(project: Project) -> list[Item]:
    """The declared inputs as they were counted on receipt."""
    rows: list[Item] = _counted(project)["manifest"]
    return rows


def files_of(project: Project) -> dict[str, str]:
    """The hash of every file that is no input, by path; empty when there are too many to compare."""
    hashes: dict[str, str] = _counted(project)["files"]
    return hashes


def _counted(project: Project) -> dict[str, Any]:
    counted: dict[str, Any] = json.loads(storage.path_of(str(Path(project.path).parent / MANIFEST)).read_bytes())
    return counted


def _keep(upload: "UploadedFile[Any]", path: Path) -> tuple[str, int]:
    try:
        with storage.written(path) as file:
            return storage.copy(upload.chunks(), file, settings.PROJECT_MAX_BYTES)
    except OverflowError:
        raise Refusal(
            "archive_too_large",
            sentence("too_large") % {"most": formats.size(settings.PROJECT_MAX_BYTES)},
            status=413,
            field="archive",
            data={"most_bytes": settings.PROJECT_MAX_BYTES},
        ) from None


def _look(customer: User, name: str, folder: Path, sha256: str, size: int) -> Project:
    received, for_host = (storage.path_of(str(folder / part)) for part in (RECEIVED, FOR_HOST))
    with crafted_refused():
        found = _inspect(received)
        host_sha256 = limited.repack(received, for_host, for_host=True)
    with storage.written(storage.path_of(str(folder / MANIFEST))) as file:
        file.write(json.dumps({"manifest": found.manifest, "files": found.files}, ensure_ascii=False).encode())
    return Project.objects.create(
        customer=customer,
        name=name,
        sha256=sha256,
        size=size,
        path=str(folder / RECEIVED),
        host_sha256=host_sha256,
        host_size=for_host.stat().st_size,
        host_path=str(folder / FOR_HOST),
        config=found.config,
        expected=found.expected,
        findings=found.findings,
        declared=len(found.manifest),
    )


@contextmanager
def crafted_refused() -> Iterator[None]:
    """An archive that its reader would not take becomes a refusal with the member's name."""
    try:
        yield
    except names.Refused as refused:
        words = sentence(refused.code) % {"most": formats.size(settings.PROJECT_MAX_BYTES)}
        data: Mapping[str, Any] = {"member": refused.member} if refused.member else {}
        raise Refusal(f"archive_{refused.code}", words, status=422, field="archive", data=data) from refused


def _inspect(received: Path) -> Found:
    found = Found([asdict(finding) for finding in limited.findings(received)])
    with tempfile.TemporaryDirectory(prefix="project-", dir=_workroom()) as work:
        unpacked = Path(work) / "project"
        limited.unpack(received, unpacked)
        _read(unpacked, found)
    return found


def _workroom() -> Path:
    path = Path(settings.DATA_DIR) / "tmp"
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def _read(folder: Path, found: Found) -> None:
    """Configuration, expected answers and manifest; each one's trouble is a finding."""
    try:
        settled = config.load(folder)
    except config.ConfigError as error:
        for problem in error.problems:
            found.error(problem.code, config.FILE, f"{problem.message} {problem.hint}".strip(), problem.line)
        return
    if not _storable(settled.raw):
        found.error("config_value", config.FILE, "A text holds a NUL character or half a Unicode pair.")
        return
    found.config = dict(settled.raw)
    try:
        found.expected = expected.load(folder, settled) or None
    except expected.ExpectedError as error:
        found.error(error.code, config.EXPECTED_FILE, error.message)
    try:
        found.manifest = manifest.freeze(folder, settled)
    except manifest.ManifestError as error:
        found.error(error.code, error.path, error.message, error.line)
    others = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    names_of = {path.relative_to(folder).as_posix(): path for path in others}
    inputs = f"{settled.inputs}/"
    few = {name: path for name, path in names_of.items() if not f"{name}/".startswith(inputs)}
    if len(few) <= MOST_FILES:
        found.files = {name: storage.sha256_of(path) for name, path in few.items()}


def _storable(value: Any) -> bool:
    """Whether PostgreSQL's JSON takes it: neither NUL nor half a Unicode pair."""
    text = json.dumps(value, ensure_ascii=False)
    return "\\u0000" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
