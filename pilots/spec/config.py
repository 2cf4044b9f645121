"""`config/pilote.json`: read, judged by the published schema and rules, told problem by problem with path and line."""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from pilots.spec.command import PLACEHOLDERS, placeholders
from pilots.spec.positions import Path as JsonPath
from pilots.spec.positions import Positions, TooDeep, locate

SCHEMA_NAME: Final = "kernodeck/pilot/1"
FILE: Final = "config/pilote.json"
EXPECTED_FILE: Final = "config/expected.json"
REQUIREMENTS_FILE: Final = "requirements-rebuild.txt"
MAX_BYTES: Final = 4 * 1024 * 1024
Kind = Literal["documents", "training"]
Backend = Literal["any", "cuda", "rocm"]


@dataclass(frozen=True)
class Problem:
    """One thing wrong in the configuration: a stable code, where, and what in plain English."""

    code: str
    path: str  # JSON path, e.g. $.criteria.items
    line: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        told = f"{FILE}:{self.line}: {self.path}: {self.message}"
        return f"{told} {self.hint}" if self.hint else told


class ConfigError(ValueError):
    """A configuration that cannot be used, with all its problems."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True)
class Reference:
    """A model or data set the results depend on."""

    name: str
    version: str | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Criteria:
    """What must hold, fixed before the launch; `None` means not asked."""

    items: int
    categories: tuple[str, ...] = ()
    must_refuse: tuple[str, ...] = ()
    min_agreement: float | None = None
    max_minutes: float | None = None
    max_gpu_memory_gb: float | None = None
    min_updates: int | None = None


@dataclass(frozen=True)
class Resume:
    """The resume test: `until` steps in one process against `interrupt_at` and a new process."""

    interrupt_at: int
    until: int
    tolerance: float = 0.0


@dataclass(frozen=True)
class Config:
    """The contract of a pilot as its author wrote it; `raw` is the JSON as read."""

    kind: Kind
    command: tuple[str, ...]
    inputs: str
    criteria: Criteria
    backend: Backend = "any"
    revision: str | None = None
    references: Mapping[str, Reference] = field(default_factory=dict)
    extensions: tuple[str, ...] = ()
    resume: Resume | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    raw: Mapping[str, object] = field(default_factory=dict)


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema."""
    text = resources.files("pilots.spec").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def load(path: Path) -> Config:
    """The configuration of a file, or of `config/pilote.json` in a folder; raises ConfigError."""
    path = path / FILE if path.is_dir() else path
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        told = Problem("config_missing", "$", 1, f"{FILE} cannot be read: {error.strerror or error}.")
        raise ConfigError([told]) from error
    return parse(data)


def parse(data: bytes) -> Config:
    """The configuration of these bytes; raises ConfigError with every problem found."""
    config, problems = check(data)
    if config is None:
        raise ConfigError(problems)
    return config


def check(data: bytes) -> tuple[Config | None, list[Problem]]:
    """The configuration, or nothing and all its problems in the order of the file."""
    text, value, problems = _decode(data)
    if problems:
        return None, problems
    try:
        positions = locate(text)
    except TooDeep:
        return None, [Problem("config_not_json", "$", 1, "The values nest too deeply.")]
    problems = [
        Problem("config_repeated_key", _dotted(path), positions.line(path), f"The key “{path[-1]}” is written twice.")
        for path in positions.repeated
    ]
    problems += _schema_problems(value, positions)
    if not problems:
        problems = list(_rule_problems(value, positions))
    if problems:
        return None, sorted(problems, key=lambda problem: problem.line)
    return from_dict(value), []


def from_dict(value: Mapping[str, Any]) -> Config:
    """A Config from a value that already passed `check`, e.g. the one frozen in a spec."""
    criteria: dict[str, Any] = {
        key: tuple(item) if isinstance(item, list) else item for key, item in value["criteria"].items()
    }
    criteria["items"] = int(criteria["items"])  # JSON Schema calls 12.0 an integer too
    resume = value.get("resume")
    return Config(
        kind=value["kind"],
        command=tuple(value["command"]),
        inputs=str(PurePosixPath(value["inputs"])),
        criteria=Criteria(**criteria),
        backend=value.get("backend", "any"),
        revision=value.get("revision"),
        references={name: Reference(**item) for name, item in (value.get("references") or {}).items()},
        extensions=tuple(value.get("extensions", ())),
        resume=Resume(**resume) if resume else None,
        parameters=value.get("parameters", {}),
        raw=value,
    )


def safe_relative(path: str) -> bool:
    """Whether a path stays inside the project folder on every system."""
    parts = path.replace("\\", "/").split("/")
    return bool(path) and not path.startswith(("/", "\\", "~")) and ".." not in parts and ":" not in parts[0]


def _decode(data: bytes) -> tuple[str, Any, list[Problem]]:
    if len(data) > MAX_BYTES:
        return "", None, [Problem("config_too_large", "$", 1, f"The file is larger than {MAX_BYTES} bytes.")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return "", None, [Problem("config_not_utf8", "$", line, "The file is not UTF-8 text.")]
    try:
        return text, json.loads(text, parse_constant=_no_constant), []
    except json.JSONDecodeError as error:
        message = f"Not valid JSON: {error.msg}, column {error.colno}."
        return "", None, [Problem("config_not_json", "$", error.lineno, message, _json_hint(text, error))]
    except (ValueError, RecursionError) as error:
        return "", None, [Problem("config_not_json", "$", 1, f"Not valid JSON: {error}.")]


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _json_hint(text: str, error: json.JSONDecodeError) -> str:
    before = text[: error.pos].rstrip()
    if before.endswith(",") and text[error.pos : error.pos + 1] in "}]":
        return "Take away the comma before the closing bracket."
    if text[error.pos : error.pos + 1] in ("'", "#", "/"):
        return "JSON knows no comments and no single quotes."
    return ""


def _dotted(path: JsonPath) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _schema_problems(value: Any, positions: Positions) -> Iterator[Problem]:
    validator = Draft202012Validator(schema())
    for error in validator.iter_errors(value):
        yield from _told(error, tuple(error.absolute_path), positions)


def _told(error: ValidationError, path: JsonPath, positions: Positions) -> Iterator[Problem]:
    rule, instance = error.validator_value, error.instance
    if error.validator == "additionalProperties" and isinstance(instance, dict):
        known = error.schema.get("properties", {})
        for key in sorted(set(instance) - set(known)):
            at = (*path, key)
            yield Problem(
                "config_unknown_key", _dotted(at), positions.line(at), f"Unknown key “{key}”.", _meant(key, known)
            )
        return
    if error.validator == "required":
        # one error a missing key: jsonschema tells each by its message only
        for key in rule:
            if key not in instance and error.message.startswith(repr(key)):
                message = f"The key “{key}” is missing."
                yield Problem("config_missing_key", _dotted((*path, key)), positions.line(path), message)
        return
    yield Problem(
        "config_" + _CODES.get(str(error.validator), "value"), _dotted(path), positions.line(path), *_say(error)
    )


_CODES: Final = {"type": "type", "enum": "choice", "const": "choice", "pattern": "pattern", "uniqueItems": "repeated"}


def _say(error: ValidationError) -> tuple[str, str]:
    rule, shown = error.validator_value, json.dumps(error.instance, ensure_ascii=False)[:80]
    match error.validator:
        case "type":
            words = [rule] if isinstance(rule, str) else list(rule)
            return f"Must be {' or '.join(_TYPES.get(word, word) for word in words)}, not {shown}.", ""
        case "enum":
            return f"Must be one of {', '.join(map(str, rule))}, not {shown}.", _meant(str(error.instance), rule)
        case "const":
            return f"Must be “{rule}”, not {shown}.", ""
        case "pattern":
            return f"{shown} does not have the form {rule}.", ""
        case "uniqueItems":
            return "A value occurs twice in this list.", ""
        case "minimum" | "exclusiveMinimum":
            return (
                f"Must be {'more than' if 'exclusive' in str(error.validator) else 'at least'} {rule}, not {shown}.",
                "",
            )
        case "maximum":
            return f"Must be at most {rule}, not {shown}.", ""
        case "minItems" | "minLength":
            return "Must not be empty.", ""
    return f"{error.message[:200]}.", ""


_TYPES: Final = {
    "object": "an object", "array": "a list", "string": "a text", "integer": "a whole number",
    "number": "a number", "null": "null", "boolean": "true or false",
}  # fmt: skip


def _meant(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, [str(item) for item in known], n=1, cutoff=0.6)
    return f"Did you mean “{close[0]}”?" if close else ""


def _rule_problems(value: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    """What a schema cannot say: placeholders, paths that leave the folder, figures that contradict each other."""

    def problem(code: str, path: JsonPath, message: str, hint: str = "") -> Problem:
        return Problem(code, _dotted(path), positions.line(path), message, hint)

    for number, argument in enumerate(value["command"]):
        for word in placeholders([argument]):
            if word not in PLACEHOLDERS:
                hint = _meant(word, PLACEHOLDERS)
                yield problem("config_placeholder", ("command", number), f"Unknown placeholder {{{word}}}.", hint)
        if "\x00" in argument:
            yield problem("config_value", ("command", number), "An argument cannot hold a NUL character.")
    if not value["command"][0].strip():
        yield problem("config_value", ("command", 0), "The program's name is empty.")
    if not safe_relative(value["inputs"]):
        yield problem("config_path", ("inputs",), "The inputs must lie inside the project folder.")
    criteria, resume, kind = value["criteria"], value.get("resume"), value["kind"]
    if kind == "documents" and not criteria.get("categories"):
        yield problem("config_missing_key", ("criteria", "categories"), "Documents need their allowed categories.")
    if kind == "documents" and resume:
        yield problem(
            "config_resume",
            ("resume",),
            "Documents resume by finishing what is missing; only a training has a resume test.",
        )
    if kind == "training" and criteria.get("must_refuse"):
        yield problem("config_value", ("criteria", "must_refuse"), "A training refuses no items.")
    if len(criteria.get("must_refuse", ())) > criteria["items"]:
        yield problem("config_value", ("criteria", "must_refuse"), "More ids must be refused than items are declared.")
    if resume and kind == "training":
        if resume["interrupt_at"] >= resume["until"]:
            yield problem("config_resume", ("resume", "interrupt_at"), "Must be smaller than “until”.")
        for word in ("checkpoint", "until_step"):
            if word not in placeholders(value["command"]):
                yield problem("config_resume", ("command",), f"A resume test needs the placeholder {{{word}}}.")
