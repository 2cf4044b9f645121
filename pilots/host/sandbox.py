"""What a customer's program gets to see: bubblewrap where it works, else a clean environment in its own session."""

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

Kind = Literal["bubblewrap", "process"]

# Of the machine: its programs and what they read to work. No home, no /var, no /run, no data of anyone.
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys")
_ETC: Final = (
    "alternatives", "ca-certificates", "fonts", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "localtime", "mime.types", "nsswitch.conf", "nvidia", "OpenCL", "passwd", "pki", "resolv.conf", "ssl", "timezone",
    "vulkan",
)  # fmt: skip
_VENDOR: Final = ("/opt/rocm*", "/opt/amdgpu*", "/opt/nvidia*")
_DEVICES: Final = ("/dev/nvidia*", "/dev/kfd", "/dev/dri")
_PASSED_ON: Final = (
    "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "CUDA_HOME", "ROCM_PATH", "HSA_OVERRIDE_GFX_VERSION",
    "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_NUM_THREADS",
)  # fmt: skip


@dataclass(frozen=True)
class View:
    """The folders a program sees beside the system's: written to, and only read."""

    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    tmp: Path | None = None
    network: bool = False


def kind() -> Kind:
    """Which sandbox this machine can give, tried and not guessed."""
    return "bubblewrap" if _bubblewrap_works() else "process"


def wrap(argv: Sequence[str], view: View, sandbox: Kind) -> list[str]:
    """The command as it is really started."""
    return [*_bubblewrap(view), "--", *argv] if sandbox == "bubblewrap" else list(argv)


def environment(folder: Path, extra: Mapping[str, str], path: Iterable[Path] = ()) -> dict[str, str]:
    """A clean environment: the machine's words about its cards and language, never the agent's own."""
    search = [*map(str, path), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        **kept,
        "PATH": os.pathsep.join(search),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONFAULTHANDLER": "1",
        **extra,
    }


@cache
def _bubblewrap_works() -> bool:
    """bubblewrap may be there and still be refused: no user namespaces, a container that masks /proc."""
    if not shutil.which("bwrap") or os.environ.get("KERNODECK_SANDBOX") == "process":
        return False
    try:
        tried = subprocess.run(
            [*_bubblewrap(View()), "--", "true"], capture_output=True, timeout=20, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def _bubblewrap(view: View) -> list[str]:
    # `--clearenv` is not needed: the guardian's own environment is already the clean one, and nothing of it
    # stands in an argument that others could read.
    argv = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "pilot"]
    argv += ["--share-net"] if view.network else []
    for name in _SYSTEM:
        if os.path.islink(name):
            argv += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            argv += ["--ro-bind", name, name]
    for name in _ETC:
        argv += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    argv += ["--proc", "/proc", "--dev", "/dev"]
    for pattern in _DEVICES:
        for name in sorted(glob.glob(pattern)):
            argv += ["--dev-bind-try", name, name]
    argv += ["--bind", str(view.tmp), "/tmp"] if view.tmp else ["--tmpfs", "/tmp"]  # noqa: S108
    vendors = [Path(name) for pattern in _VENDOR for name in sorted(glob.glob(pattern))]
    for path in (*vendors, *_asked_for(), *_interpreters(), *view.readable):
        argv += ["--ro-bind-try", str(path), str(path)]
    for path in view.writable:
        argv += ["--bind", str(path), str(path)]
    for path in view.hidden:
        argv += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", os.devnull, str(path)]
    return argv


def _asked_for() -> list[Path]:
    """Folders of this machine that its operator opens to programs, e.g. shared model weights."""
    return [Path(name) for name in os.environ.get("KERNODECK_READABLE", "").split(os.pathsep) if name]


def _interpreters() -> list[Path]:
    """Where Python lives when that is not below /usr."""
    return [] if sys.base_prefix in ("/usr", "/usr/local") else [Path(sys.base_prefix)]
