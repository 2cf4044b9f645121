"""What this machine says of itself at each hello."""

import os
import platform
import shutil
import socket
from importlib import metadata
from pathlib import Path

from pilots.host import sandbox
from pilots.host.rungs import cards as listed
from pilots.host.rungs.base import Failed
from pilots.host.wire import CardFacts, Facts


def version() -> str:
    try:
        return metadata.version("kernodeck")
    except metadata.PackageNotFoundError:  # a plain checkout
        return "0.1.0"


def facts(folder: Path) -> Facts:
    """`folder` is where runs will lie: the free disk is that one's."""
    return {
        "agent": version(),
        "hostname": socket.gethostname(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "disk_free_bytes": shutil.disk_usage(folder).free,
        "cards": cards(),
        "sandbox": sandbox.kind(),
    }


def cards() -> list[CardFacts]:
    """As the driver lists them; a driver that does not answer lists none, and the diagnostic says why."""
    try:
        told = listed.cards()
    except Failed:
        return []
    return [
        {
            "uuid": str(card["uuid"]),
            "model": str(card["model"]),
            "memory_bytes": int(card["memory_bytes"]),
            "driver": str(card["driver"]),
            "backend": "rocm" if card["backend"] == "rocm" else "cuda",
        }
        for card in told
    ]
