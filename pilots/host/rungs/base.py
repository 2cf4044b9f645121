"""What every rung shares: its name, its time, what it proves; how one fails; how a tool is asked."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

# number: (name, seconds allowed, proves, does not prove). A plain table: the file must stay one download.
LADDER: dict[int, tuple[str, int, str, str]] = {
    0: ("host", 60, "the driver answers and lists these cards",
        "that a framework can use them; nvidia-smi's CUDA version is only the driver's ceiling"),
    1: ("interpreter", 30, "which Python and which packages are really used", "that they import"),
    2: ("import", 180, "the framework loads, and its build is cuda, rocm or cpu", "that a GPU is there"),
    3: ("device", 120, "the framework opens the driver and carries code for this card", "that a kernel runs"),
    4: ("memory", 180, "context, allocator and copies work; memory is not held by a neighbour", "arithmetic"),
    5: ("compute", 240, "matrix products are right for this shape", "other kernels, sustained load"),
    6: ("libraries", 240, "convolution, attention and a falling loss (cuDNN or MIOpen, autograd)", "extensions"),
    7: ("compiler", 300, "Triton, a compiler and a writable cache work together", "other graphs"),
    8: ("extensions", 300, "each declared extension imports, and its kernel runs where exercised", "your sizes"),
    9: ("cards", 300, "each card alone, and the collective's value", "bandwidth, long stability"),
    11: ("blender", 300, "the renderer uses the named card", "your scene"),
}  # fmt: skip
BEHAVIOUR = ("CUDA_", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "AMD_", "NCCL_", "RCCL_", "TORCH", "PYTORCH_", "OMP_", "MKL_",
             "OPENBLAS_", "TRITON_", "HF_", "PYTHON", "LD_", "XLA_", "MIOPEN_")  # fmt: skip
NEED_TORCH = (3, 4, 5, 6, 7, 9)
Facts = dict[str, Any]


class Failed(Exception):
    """A rung that does not hold: what was seen, and what to do next."""

    def __init__(self, message: str, next_: str, **facts: Any) -> None:
        super().__init__(message)
        self.next, self.facts = next_, dict(facts, error=message)


class NotApplicable(Failed):
    """A rung that this machine or project has nothing for."""


def say(argv: list[str], seconds: float = 20) -> tuple[int, str]:
    """A tool's exit code and words; 127 when it is not there, 124 when it does not answer."""
    if not shutil.which(argv[0]):
        return 127, ""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return 124, argv[0] + " did not answer"
    except OSError as error:
        return 126, str(error)
    return done.returncode, done.stdout if done.returncode == 0 else (done.stderr or done.stdout).strip()


def number(text: Any) -> float | None:
    try:
        return float(str(text).split()[0])
    except (ValueError, IndexError):
        return None
