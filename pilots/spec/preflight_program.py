"""The preflight's look at the program: its requirements, the files its command names, what it imports."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pilots.spec import requirements as reading
from pilots.spec.config import FILE, REQUIREMENTS_FILE, Config, safe_relative
from pilots.spec.findings import Finding
from pilots.spec.imports import imported, provided
from pilots.spec.preflight_files import File

_LIKE_PATH: Final = re.compile(
    r"^[\w.-]+(/[\w.-]+)+$|^[\w-]+\.(py|sh|json|ya?ml|toml|txt|pt|safetensors|onnx|bin|csv|gguf)$"
)
_BIG_SOURCE: Final = 1024 * 1024


def requirements(folder: Path) -> Iterator[Finding]:
    """Pinned versions with their provenance."""
    path = folder / REQUIREMENTS_FILE
    if not path.is_file():
        yield Finding("requirements_missing", "error", REQUIREMENTS_FILE, "There is no list of pinned packages.")
        return
    found = reading.read(path.read_bytes().decode("utf-8-sig", "replace"))
    for row in found.listed:
        if row.problem:
            code = (
                "requirement_elsewhere"
                if "elsewhere" in row.problem or "folder" in row.problem
                else "requirement_unpinned"
            )
            yield Finding(code, "error", REQUIREMENTS_FILE, f"“{row.name[:100]}” {row.problem}.", row.line)
    for line, option in found.options:
        if option.startswith(("-r", "--requirement", "-c", "--constraint")):
            message = f"“{option[:100]}” reads another file; list every package here."
            yield Finding("requirement_elsewhere", "error", REQUIREMENTS_FILE, message, line)
        elif "find-links" in option or option.startswith("-f"):
            message = "Packages from a folder or page of links may not be there on another machine."
            yield Finding("requirement_links", "warning", REQUIREMENTS_FILE, message, line)
    if found.listed and not found.provenance:
        message = "Nothing says where the packages come from: add comments, an index or hashes."
        yield Finding("requirements_provenance", "warning", REQUIREMENTS_FILE, message)


def program(folder: Path, found: Sequence[File | Finding], settings: Config | None) -> Iterator[Finding]:
    """The command's files are there; what src/ imports is listed; the backend fits the packages."""
    files = [row for row in found if isinstance(row, File) and not row.left_out]
    path = folder / REQUIREMENTS_FILE
    listed = reading.read(path.read_bytes().decode("utf-8-sig", "replace")) if path.is_file() else None
    if settings is not None:
        yield from _command(folder, settings)
        yield from _parameters(folder, settings)
        if listed is not None:
            yield from _backend(settings, listed)
    packages = {row.name for row in listed.listed if row.name} if listed else set()
    local = {part.removesuffix(".py") for file in files for part in file.path.split("/")}
    for file in files:
        if file.path.startswith("src/") and file.path.endswith(".py") and file.size < _BIG_SOURCE:
            yield from _imports(folder, file.path, local, packages)


def _command(folder: Path, settings: Config) -> Iterator[Finding]:
    for argument in settings.command:
        if "{" in argument or not _LIKE_PATH.match(argument):
            continue
        if not safe_relative(argument):
            yield Finding("path_outside", "error", FILE, f"“{argument}” leaves the project folder.")
        elif not (folder / argument).exists():
            yield Finding(
                "program_missing", "error", FILE, f"The command names “{argument}”, which is not in the folder."
            )


def _parameters(folder: Path, settings: Config) -> Iterator[Finding]:
    for name, value in settings.parameters.items():
        if isinstance(value, str) and _LIKE_PATH.match(value) and "." in value.rsplit("/", 1)[-1]:
            if safe_relative(value) and (folder / value).exists():
                continue
            message = f"The parameter “{name}” names “{value}”, which is not in the folder."
            yield Finding("file_elsewhere", "warning", FILE, message)


def _backend(settings: Config, listed: reading.Requirements) -> Iterator[Finding]:
    backend, names = listed.backend()
    if backend != "any" and settings.backend not in ("any", backend):
        message = f"{', '.join(names[:3])} point to {backend}, but the project asks for {settings.backend}."
        yield Finding("backend_differs", "warning", FILE, message)
    elif backend != "any" and settings.backend == "any":
        message = f"{', '.join(names[:3])} point to {backend}; say so with “backend”."
        yield Finding("backend_unsaid", "note", FILE, message)


def _imports(folder: Path, path: str, local: set[str], packages: set[str]) -> Iterator[Finding]:
    try:
        modules = list(imported((folder / path).read_bytes().decode("utf-8-sig", "replace")))
    except (SyntaxError, ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        yield Finding("program_syntax", "error", path, "This file is not Python that can be read.", line)
        return
    for module, line in modules:
        if not provided(module, local, packages):
            message = f"“{module}” is imported, but {REQUIREMENTS_FILE} does not seem to bring it."
            yield Finding("import_undeclared", "warning", path, message, line)
