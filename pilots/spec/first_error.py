"""The first error in a program's output: not the last line it cried, but the one that all others follow from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_TEXT: Final = 500
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


@dataclass(frozen=True)
class FirstError:
    """`line` counts from 1; `kind` is stable; `text` is the line itself, controls removed."""

    line: int
    kind: str
    text: str


# In the order of trial; each is tried on every line, the earliest line wins.
_PATTERNS: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("gpu_memory", r"(CUDA|HIP) out of memory|OutOfMemoryError|(CUDA|HIP) error: out of memory|CUBLAS_STATUS_ALLOC_FAILED"),
        ("gpu_no_kernel", r"no kernel image is available|(hipErrorNoBinaryForGpu|invalid device function)"),
        ("gpu_driver", r"driver (version )?is (insufficient|too old)|Found no NVIDIA driver|forward compatibility was attempted"
                       r"|(Failed to initialize NVML|NVML: Driver/library version mismatch)|hipErrorNoDevice|No HIP GPUs are available"
                       r"|No CUDA GPUs are available|Torch not compiled with CUDA enabled"),
        ("gpu_lost", r"GPU is lost|fallen off the bus|uncorrectable ECC|Xid \(|device-side assert triggered|HW Exception by GPU"),
        ("gpu_memory_access", r"illegal memory access|misaligned address|Memory access fault by GPU|hipErrorIllegalAddress"),
        ("collective", r"(NCCL|RCCL) (error|WARN)|ncclSystemError|ncclUnhandledCudaError|Watchdog caught collective operation timeout"),
        ("gpu", r"(CUDA|HIP|cuDNN|CUBLAS|MIOpen|rocBLAS)\w*[ _](error|Error|STATUS_)|(CUDA|HIP) error"),
        ("memory", r"MemoryError|Out of memory: Killed process|oom-kill|DefaultCPUAllocator: (not enough|can't allocate) memory"
                   r"|std::bad_alloc|Cannot allocate memory"),
        ("disk", r"No space left on device|Disk quota exceeded|(?i:file size limit exceeded)|\bFile too large\b"),
        ("library", r"cannot open shared object file|undefined symbol|version `\S+' not found|ImportError: .*\.so|GLIBC_\d"),
        ("package_conflict", r"ResolutionImpossible|conflicting dependencies"),
        ("package_index", r"(Temporary failure in name resolution|Failed to establish a new connection|ReadTimeoutError|NewConnectionError)"),
        ("package_missing", r"No matching distribution found|Could not find a version that satisfies"),
        ("package_hash", r"THESE PACKAGES DO NOT MATCH THE HASHES|Hashes are required in --require-hashes"),
        ("package_build", r"Failed building wheel|subprocess-exited-with-error|metadata-generation-failed|Failed to build "),
        ("package", r"^ERROR: "),
        ("network", r"(HfHubHTTPError|LocalEntryNotFoundError|OfflineModeIsEnabled|couldn't connect to 'https)"),
        ("not_found", r"(command not found|: not found$|No such file or directory)"),
        ("permission", r"Permission denied|Operation not permitted"),
        ("syntax", r"^(SyntaxError|IndentationError|TabError)\b"),
        ("import", r"^(ModuleNotFoundError|ImportError)\b"),
        ("crash", r"Segmentation fault|core dumped|Fatal Python error|^(Killed|Aborted|Bus error|Illegal instruction)\b|double free"),
    )
)  # fmt: skip
_EXCEPTION = re.compile(
    r"^(?:[A-Za-z_][\w]*\.)*([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Timeout|Failure|Warning)|StopIteration)(?::|$)"
)
_TRACEBACK = re.compile(r"^(?:\[[^\]]*\]:?\s*)?(?:Traceback \(most recent call last\)|\s*\+ Exception Group Traceback)")
_SHELL = re.compile(r"^(?:/\S+/)?(?:ba|z|da|k)?sh: (?:line )?\d+: ")
# Words that look like failure and are none: a program that goes on after them.
_HARMLESS = re.compile(
    r"^\s*(WARNING|Warning|DEBUG|INFO|\[W|W\d{4})|DeprecationWarning|UserWarning|FutureWarning|dependency resolver does not"
)


def find(lines: Iterable[str]) -> FirstError | None:
    """The first error of an output, or None. Streams: only the lines of one open traceback are looked through."""
    opened = False  # inside a traceback: the answer is its last line, the exception's
    for number, raw in enumerate(lines, 1):
        line = clean(raw)
        if _TRACEBACK.match(line):
            opened = True
            continue
        if opened:
            # frames are indented; the first line at the margin is the exception (or a group's, behind "|")
            bare = line.lstrip(" |+-") if line.lstrip().startswith(("|", "+")) else line
            if bare and not bare[0].isspace() and not bare.startswith(("File ", "Traceback", "During handling")):
                return FirstError(number, _kind(bare, "exception"), bare[:_TEXT])
            if not line.strip() or line[0].isspace():
                continue
            opened = False
        if kind := _kind_outside(line):
            return FirstError(number, kind, line[:_TEXT])
    return None


def clean(line: str) -> str:
    """A line without colours, controls and its progress bar: what stands behind the last carriage return."""
    text = _ANSI.sub("", line.rstrip("\r\n"))
    text = text.rsplit("\r", 1)[-1]
    return "".join(character for character in text if character == "\t" or character.isprintable())


def around(lines: Iterable[str], number: int, context: int = 5) -> list[tuple[int, str]]:
    """The lines around one, numbered, cleaned and cut."""
    kept: list[tuple[int, str]] = []
    for at, line in enumerate(lines, 1):
        if at > number + context:
            break
        if at >= number - context:
            kept.append((at, clean(line)[:_TEXT]))
    return kept


def _kind(line: str, otherwise: str) -> str:
    return next((kind for kind, pattern in _PATTERNS if pattern.search(line)), otherwise)


def _kind_outside(line: str) -> str:
    if not line.strip() or _HARMLESS.search(line):
        return ""
    if _SHELL.match(line):
        return _kind(line, "shell")
    if _EXCEPTION.match(line):
        return _kind(line, "exception")
    return _kind(line, "")
