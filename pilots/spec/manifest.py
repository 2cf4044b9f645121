"""The manifest: every declared input with its id, path, size and hash, frozen before the launch."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from pilots.spec.config import Config
from pilots.spec.words import Item

ITEMS_FILE: Final = "items.jsonl"
MAX_ID: Final = 200
MAX_LINE: Final = 16 * 1024 * 1024
_BLOCK: Final = 1024 * 1024
_decoder: Final = json.JSONDecoder()  # json.loads would guess each line's encoding anew
_FIGURES: Final = re.compile(r"([0-9]+)")


class ManifestError(ValueError):
    """Inputs that cannot be frozen: a stable code, the path and, where there is one, the line."""

    def __init__(self, code: str, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.path, self.line = code, message, path, line


def clean_id(text: str) -> str:
    """The id as it is compared everywhere: composed Unicode, since file systems differ on it."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def id_problem(text: str) -> str:
    """Why a text cannot be an id; empty when it can."""
    if not text.strip():
        return "the id is empty"
    if len(text) > MAX_ID:
        return f"the id is longer than {MAX_ID} characters"
    # what is printable holds neither controls nor halves of pairs; asking for each letter costs too much at 100,000 ids
    if not text.isprintable() and any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        return "the id holds a control character"
    return ""


def id_of(name: str) -> str:
    """The id of an input file: its name without the ending."""
    stem = name.rsplit(".", 1)[0] if "." in name.strip(".") and not name.startswith(".") else name
    return clean_id(stem)


def freeze(folder: Path, config: Config) -> list[Item]:
    """The manifest of a project folder, in the order of ids or of items.jsonl; raises ManifestError."""
    inputs = folder / config.inputs
    if inputs.is_symlink() or not inputs.exists():
        raise ManifestError("inputs_missing", f"There are no inputs at {config.inputs}.", config.inputs)
    if inputs.is_file():
        return freeze_files([(config.inputs, lambda: inputs.open("rb"))], config.inputs)
    files: list[tuple[str, Callable[[], BinaryIO]]] = []
    for path in sorted(inputs.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise ManifestError("inputs_link", f"{name} is a link; inputs must be files.", name)
        if path.is_file():
            files.append((name, lambda path=path: path.open("rb")))  # type: ignore[misc]
    return freeze_files(files, config.inputs)


def freeze_files(files: Iterable[tuple[str, Callable[[], BinaryIO]]], inputs: str) -> list[Item]:
    """The manifest of these (path, opener) pairs: one items.jsonl, or a file per item."""
    listed = [(path, opener) for path, opener in files if not path.rsplit("/", 1)[-1].startswith(".")]
    if not listed:
        raise ManifestError("inputs_empty", f"There are no inputs in {inputs}.", inputs)
    tables = [(path, opener) for path, opener in listed if path.endswith(".jsonl")]
    if len(listed) == 1 and tables:
        return _unique(_rows(*tables[0]))
    if any(path.rsplit("/", 1)[-1] == ITEMS_FILE for path, _ in tables):
        raise ManifestError("inputs_mixed", f"{ITEMS_FILE} must be the only file of {inputs}.", inputs)
    return sorted(_unique(_file(path, opener) for path, opener in listed), key=lambda item: natural(item["id"]))


def natural(text: str) -> tuple[tuple[int, str, str], ...]:
    """A sorting key that reads figures as numbers: doc-2 before doc-10."""
    parts = _FIGURES.split(text)  # texts and figures by turns
    return tuple(
        (len(part.lstrip("0")), part.lstrip("0"), part) if at % 2 else (0, part, "") for at, part in enumerate(parts)
    )


def _file(path: str, opener: Callable[[], BinaryIO]) -> Item:
    identity = id_of(path.rsplit("/", 1)[-1])
    if problem := id_problem(identity):
        raise ManifestError("id_unusable", f"{path}: {problem}.", path)
    digest, size = hashlib.sha256(), 0
    with opener() as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return {"id": identity, "path": path, "size": size, "sha256": digest.hexdigest()}


def _rows(path: str, opener: Callable[[], BinaryIO]) -> Iterator[Item]:
    with opener() as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise ManifestError(
                    "items_line", f"{path}:{number}: the line is longer than {MAX_LINE} bytes.", path, number
                )
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            line = line.rstrip(b"\r\n")
            if line.strip():
                identity = _row_id(line, path, number)
                yield {
                    "id": identity,
                    "path": f"{path}#{number}",
                    "size": len(line),
                    "sha256": hashlib.sha256(line).hexdigest(),
                }


def _row_id(line: bytes, path: str, number: int) -> str:
    try:
        value = _decoder.decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise ManifestError("items_line", f"{path}:{number}: not a JSON line.", path, number) from error
    identity = value.get("id") if isinstance(value, dict) else None
    if not isinstance(identity, str):
        raise ManifestError("items_line", f"{path}:{number}: the line has no text “id”.", path, number)
    if problem := id_problem(identity := clean_id(identity)):
        raise ManifestError("id_unusable", f"{path}:{number}: {problem}.", path, number)
    return identity


def _unique(items: Iterable[Item]) -> list[Item]:
    kept: list[Item] = []
    seen: dict[str, str] = {}
    for item in items:
        if (first := seen.get(item["id"])) is not None:
            message = f"The id “{item['id']}” is declared twice: {first} and {item['path']}."
            line = item["path"].partition("#")[2]
            raise ManifestError("id_repeated", message, item["path"], int(line) if line.isdigit() else None)
        seen[item["id"]] = item["path"]
        kept.append(item)
    if not kept:
        raise ManifestError("inputs_empty", "No input is declared.")
    return kept
