"""What the failures of GPU programs look like: a stable kind and the texts that betray it, in the order of trial."""

import re
from typing import Final

_TABLE: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("gpu_memory", (
        r"(CUDA|HIP) (error: )?out of memory", "OutOfMemoryError", "CUBLAS_STATUS_ALLOC_FAILED",
    )),
    ("gpu_no_kernel", ("no kernel image is available", "hipErrorNoBinaryForGpu", "invalid device function")),
    ("gpu_driver", (
        r"driver\b.{0,30} is (insufficient|too old)", "Found no NVIDIA driver",
        "forward compatibility was attempted", "Failed to initialize NVML",
        "Driver/library version mismatch", "hipErrorNoDevice", r"No (CUDA|HIP) GPUs are available",
        "Torch not compiled with CUDA enabled",
    )),
    ("gpu_lost", (
        "GPU is lost", "fallen off the bus", "uncorrectable ECC", r"Xid \(", "HW Exception by GPU",
    )),
    ("gpu_assert", ("device-side assert", "Device-side assertion")),
    ("gpu_memory_access", (
        "illegal memory access", "misaligned address", "Memory access fault by GPU", "hipErrorIllegalAddress",
    )),
    ("collective", (
        r"(NCCL|RCCL) (error|WARN)", "ncclSystemError", "ncclUnhandledCudaError",
        "Watchdog caught collective operation timeout",
    )),
    ("gpu", (r"(CUDA|HIP|cuDNN|CUBLAS|MIOpen|rocBLAS)\w*[ _]([Ee]rror|STATUS_)", r"\bhipError\w+", r"\bcudaError\w+")),
    ("memory", (
        r"\bMemoryError\b", "Out of memory: Killed process", "oom-kill",
        r"DefaultCPUAllocator: (not enough|can't allocate) memory", "std::bad_alloc", "Cannot allocate memory",
    )),
    ("disk", (
        "No space left on device", "Disk quota exceeded", "[Ff]ile size limit exceeded", r"\bFile too large\b",
    )),
    ("library", (
        "cannot open shared object file", "undefined symbol", r"version `\S+' not found", r"ImportError: .*\.so",
    )),
    ("package_conflict", ("ResolutionImpossible", "conflicting dependencies")),
    ("package_index", (
        "Temporary failure in name resolution", "Failed to establish a new connection", "ReadTimeoutError",
        "NewConnectionError",
    )),
    ("package_missing", ("No matching distribution found", "Could not find a version that satisfies")),
    ("package_hash", ("THESE PACKAGES DO NOT MATCH THE HASHES", "Hashes are required in --require-hashes")),
    ("package_build", (
        "Failed building wheel", "subprocess-exited-with-error", "metadata-generation-failed", "Failed to build ",
    )),
    ("package", (r"^ERROR: ",)),
    ("network", (
        "HfHubHTTPError", "LocalEntryNotFoundError", "OfflineModeIsEnabled", "couldn't connect to 'https",
    )),
    ("not_found", ("command not found", r": not found$", "No such file or directory")),
    ("permission", ("Permission denied", "Operation not permitted")),
    ("syntax", (r"^(SyntaxError|IndentationError|TabError)\b",)),
    ("import", (r"^(ModuleNotFoundError|ImportError)\b",)),
    ("crash", (
        "Segmentation fault", "core dumped", "Fatal Python error", r"^(Killed|Aborted|Bus error|Illegal instruction)\b",
        "double free or corruption",
    )),
)  # fmt: skip

PATTERNS: Final = tuple((kind, re.compile("|".join(f"(?:{text})" for text in texts))) for kind, texts in _TABLE)
KINDS: Final = (*(kind for kind, _ in _TABLE), "shell", "exception")

# Words that look like failure and are none: a program goes on after them.
HARMLESS: Final = re.compile(
    r"^\s*(WARNING|Warning|DEBUG|INFO|\[W|W\d{4})|DeprecationWarning|UserWarning|FutureWarning"
    r"|dependency resolver does not"
)
EXCEPTION: Final = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Timeout|Failure)|StopIteration)(?::|$)"
)
TRACEBACK: Final = re.compile(
    r"^(?:\[[^\]]*\]:?\s*)?(?:Traceback \(most recent call last\)|\s*\+ Exception Group Traceback)"
)
SHELL: Final = re.compile(r"^(?:/\S+/)?(?:ba|z|da|k)?sh: (?:line )?\d+: ")
# Every text above holds one of these: nearly every line of a healthy program's long output is passed over by them.
HINTS: Final = (
    "rror", "emory", "ernel image", "hipE", "cudaE", "invalid device", "river", "No CUDA", "No HIP", "NVML",
    "CUDA enabled", "GPU", "bus", "ECC", "Xid", "xception", "ssert", "illegal", "misaligned", "ncclS", "ncclU",
    "NCCL", "RCCL", "Watchdog", "STATUS_", "oom-kill", "bad_alloc", "space left", "uota", "imit", "too large",
    "shared object", "undefined symbol", "not found", "Resolution", "conflicting", "resolution", "onnection",
    "atching", "version that", "HASHES", "Hashes", "building", "to build", "metadata-gen", "Offline", "connect to",
    "No such", "denied", "permitted", "fault", "dumped", "Killed", "Aborted", "Illegal", "double free", "Exit",
    "Interrupt", "Timeout", "Failure", "StopIteration", "sh: ", "ERROR: ", "forward comp",
)  # fmt: skip
