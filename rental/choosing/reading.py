"""Reads a project's file line by line, without a network or a database: which line shows which sign."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.choosing import shell
from rental.choosing.conda import read_conda
from rental.choosing.finding import Finding, Findings
from rental.choosing.requirements import read_requirement
from rental.choosing.toml import read_toml

MOST_BYTES = 200_000
MOST_LINES = 5_000
LONGEST_LINE = 2_000
KINDS = ("requirements", "pyproject", "environment", "dockerfile")


@dataclass
class Reading:
    """What a file shows, in the order of its lines; `kind` is what it was read as."""

    kind: str
    found: list[Finding] = field(default_factory=list)


def text_of(data: bytes) -> str:
    """The text of an upload.

    Raises:
        Refusal: `file_too_large`, `file_not_text` (422, at the field `file`).
    """
    if len(data) > MOST_BYTES:
        raise too_large("file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_text("file") from None


def too_large(at: str) -> Refusal:
    sentence = _("Send at most 200 kB and 5,000 lines: the list of libraries, not the project.")
    return Refusal("file_too_large", sentence, status=422, field=at)


def _not_text(at: str) -> Refusal:
    sentence = _("This is no plain text (UTF-8). Send the file itself, not an archive or a picture of it.")
    return Refusal("file_not_text", sentence, status=422, field=at)


def read(text: str, name: str = "", *, at: str = "text") -> Reading:
    """Look through a file; whatever cannot be read is a finding of its own, never an error.

    Args:
        name: the file's name, when there is one; else its content says what it is.
        at: the form's field, for a refusal.

    Raises:
        Refusal: `file_too_large`, `file_not_text` (422).
    """
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise too_large(at)
    if any(ord(mark) < 32 and mark not in "\t\n\r\f\v\x1b" for mark in text):
        raise _not_text(at)
    lines = list(enumerate(re.split(r"\r\n|\r|\n", text), 1))
    if len(lines) > MOST_LINES:
        raise too_large(at)
    into = Findings()
    whole = []
    for number, line in lines:
        if len(line) > LONGEST_LINE:
            into.unsure(number, line, "unread")
        else:
            whole.append((number, line))
    kind = kind_of(name, whole)
    if kind == "pyproject":
        read_toml(whole, into)
    elif kind == "environment":
        read_conda(whole, into)
    elif kind == "dockerfile":
        shell.read_dockerfile(whole, into)
    else:
        for number, line, joined in _joined(whole):
            read_requirement(number, line, joined, into)
    return Reading(kind, into.sorted())


def kind_of(name: str, lines: list[tuple[int, str]]) -> str:
    name = name.lower().replace("\\", "/").rsplit("/", 1)[-1]
    if name.endswith(".toml"):
        return "pyproject"
    if name.endswith((".yml", ".yaml")):
        return "environment"
    if name.startswith(("dockerfile", "containerfile")) or name.endswith(".dockerfile"):
        return "dockerfile"
    if name.endswith((".txt", ".in")):
        return "requirements"
    for _number, line in lines:
        if re.match(r"\s*FROM\s+\S", line, re.IGNORECASE):
            return "dockerfile"
        if re.match(r"\s*\[\[?(project|tool|build-system|dependency-groups)\b", line):
            return "pyproject"
        if re.match(r"(dependencies|channels)\s*:", line):
            return "environment"
    return "requirements"


def _joined(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Requirement lines with what a backslash continues; a comment inside goes."""
    start, first, parts = 0, "", ""
    for number, line in lines:
        bare = "" if line.lstrip().startswith("#") else re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not bare and start and line.lstrip().startswith("#"):
            continue
        if not start:
            start, first = number, line
        parts += " " + bare.removesuffix("\\")
        if not bare.endswith("\\"):
            yield start, first, parts.strip()
            start, first, parts = 0, "", ""
    if start:
        yield start, first, parts.strip()
