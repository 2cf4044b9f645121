"""Rungs 0 and 1: the machine with its cards, and the interpreter that is really used."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys

from pilots.host.rungs.base import BEHAVIOUR, Facts, Failed
from pilots.host.rungs.cards import cards


def memory_limit() -> int | None:
    """What the cgroup allows, in bytes; None without a limit."""
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                value = file.read().strip()
            return int(value) if value != "max" and int(value) < 1 << 60 else None
        except (OSError, ValueError):
            continue
    return None


def rung_host(want: argparse.Namespace) -> Facts:
    shm = shutil.disk_usage("/dev/shm").total if os.path.isdir("/dev/shm") else None  # noqa: S108
    facts: Facts = {
        "cards": [],
        "backend": "cpu",
        "cpus": len(os.sched_getaffinity(0)),
        "disk_free_bytes": shutil.disk_usage(".").free,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "memory_limit_bytes": memory_limit(),
        "shm_bytes": shm,
        "kernel": os.uname().release,
        "hostname": os.uname().nodename,
    }
    try:
        facts["cards"] = found = cards()
    except Failed as error:
        raise Failed(str(error), error.next, **dict(facts, **error.facts)) from error
    if found:
        facts["backend"] = found[0]["backend"]
    elif os.path.exists("/dev/nvidia0"):
        raise Failed(
            "/dev/nvidia0 is there but nvidia-smi lists no card", "Install the driver's own nvidia-smi.", **facts
        )
    if want.backend in ("cuda", "rocm") and facts["backend"] != want.backend:
        raise Failed(
            f"no {want.backend} card is listed", "Run on a machine with such a card, or set backend to any.", **facts
        )
    if want.cards is not None and len(found) != want.cards:
        raise Failed(f"{want.cards} cards expected, {len(found)} listed", "Compare with what was ordered.", **facts)
    if not found:
        facts["note"] = "no card is listed: this machine proves no GPU"
    return facts


def rung_interpreter(want: argparse.Namespace) -> Facts:
    import site
    from importlib import metadata

    names = sorted({f"{(d.metadata['Name'] or '?').lower()}=={d.version}" for d in metadata.distributions()})
    return {
        "executable": sys.executable,
        "real_path": os.path.realpath(sys.executable),
        "version": sys.version.split()[0],
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "venv": sys.prefix != sys.base_prefix,
        "user_site": bool(site.ENABLE_USER_SITE) and os.path.isdir(site.getusersitepackages()),
        "pythonpath": os.environ.get("PYTHONPATH"),
        "packages": len(names),
        "packages_sha256": hashlib.sha256("\n".join(names).encode()).hexdigest(),
        "variables": {k: v for k, v in sorted(os.environ.items()) if k.startswith(BEHAVIOUR) and k != "PYTHONPATH"},
    }
