"""The preflight: whether a project folder or archive survives the move to another machine, finding by finding."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pilots.spec import archive, config, expected, manifest, preflight_files, preflight_program
from pilots.spec.config import EXPECTED_FILE, FILE, Config
from pilots.spec.findings import Finding, Level
from pilots.spec.names import Refused

__all__ = ["Finding", "Level", "check", "stops"]

_ORDER: Final = {"error": 0, "warning": 1, "note": 2}


def check(path: Path) -> list[Finding]:
    """Every finding of a folder or of an archive, errors first, then by path and line."""
    if path.is_dir():
        return _sorted(_folder(path))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        try:
            archive.unpack(path, folder)
        except Refused as refused:
            return [Finding(f"archive_{refused.code}", "error", refused.member, refused.message)]
        return _sorted(_folder(folder))


def stops(findings: list[Finding]) -> bool:
    """Whether the launch is refused."""
    return any(finding.level == "error" for finding in findings)


def _sorted(findings: Iterator[Finding]) -> list[Finding]:
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda row: (_ORDER[row.level], row.path, row.line or 0, row.code))


def _folder(folder: Path) -> Iterator[Finding]:
    files = list(preflight_files.walk(folder))
    yield from preflight_files.check(folder, files)
    settings, problems = _config(folder)
    yield from problems
    yield from preflight_program.requirements(folder)
    yield from preflight_program.program(folder, files, settings)
    if settings is not None:
        yield from _inputs(folder, settings)
        yield from _provenance(settings)


def _config(folder: Path) -> tuple[Config | None, list[Finding]]:
    try:
        return config.load(folder), []
    except config.ConfigError as error:
        told = [
            Finding(row.code, "error", FILE, f"{row.path}: {row.message} {row.hint}".strip(), row.line)
            for row in error.problems
        ]
        return None, told


def _inputs(folder: Path, settings: Config) -> Iterator[Finding]:
    try:
        items = manifest.freeze(folder, settings)
    except manifest.ManifestError as error:
        path = error.path.partition("#")[0] or settings.inputs
        yield Finding(error.code, "error", path, error.message, error.line)
        return
    ids = {item["id"] for item in items}
    # a training's `items` counts what it reads, which may be rows inside one file
    if settings.kind == "documents" and len(ids) != settings.criteria.items:
        message = f"criteria.items says {settings.criteria.items}, but {len(ids)} inputs are there."
        yield Finding("items_differ", "error", FILE, message)
    for identity in map(manifest.clean_id, settings.criteria.must_refuse):
        if identity not in ids:
            yield Finding("must_refuse_unknown", "error", FILE, f"must_refuse names “{identity}”, which is no input.")
    for item in items:
        if item["size"] == 0:
            yield Finding("input_empty", "note", item["path"], "This input is empty; the program should refuse it.")
    yield from _expected(folder, settings, ids)


def _expected(folder: Path, settings: Config, ids: set[str]) -> Iterator[Finding]:
    try:
        answers = expected.load(folder, settings)
    except expected.ExpectedError as error:
        yield Finding(error.code, "error", EXPECTED_FILE, error.message)
        return
    for identity in answers:
        if identity not in ids:
            message = f"There is an answer for “{identity}”, which is no input."
            yield Finding("expected_unknown", "error", EXPECTED_FILE, message)
    if settings.criteria.min_agreement is not None and not answers:
        yield Finding(
            "expected_missing", "error", EXPECTED_FILE, "min_agreement needs expected answers; there are none."
        )


def _provenance(settings: Config) -> Iterator[Finding]:
    if not (settings.revision or "").strip():
        yield Finding("revision_missing", "warning", FILE, "The program's revision is not given.")
    if not settings.references:
        yield Finding("references_missing", "warning", FILE, "No reference of a model or of data is given.")
    for name, reference in settings.references.items():
        if reference.sha256 is None:
            message = f"The reference “{name}” has no sha256: it cannot be told from another version."
            yield Finding("reference_without_hash", "warning", FILE, message)
    if settings.kind == "documents" and "{remaining}" not in " ".join(settings.command):
        message = "The command has no {remaining}: a resumed run would process every item again."
        yield Finding("remaining_unused", "note", FILE, message)
    if "{output}" not in " ".join(settings.command):
        message = "The command has no {output}: the program is not told where to write."
        yield Finding("output_unused", "error", FILE, message)
