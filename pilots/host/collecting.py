"""What a try leaves, counted and hashed at its end: checkpoints, metrics, and the manifest of all that was shipped."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from pilots.host.folders import Folders, checkpoints, newest_checkpoint, open_plain
from pilots.host.journal import append
from pilots.host.launch import Launcher
from pilots.host.resume import helper
from pilots.host.wire import FileFact
from pilots.spec.criteria import Measured

_BLOCK: Final = 1024 * 1024


def sha256_of(path: Path, size: int | None = None) -> str:
    """The hash of a plain file, or of its first `size` bytes."""
    digest, left = hashlib.sha256(), size
    with open_plain(path) as file:
        while block := file.read(_BLOCK if left is None else min(_BLOCK, left)):
            digest.update(block)
            left = None if left is None else left - len(block)
    return digest.hexdigest()


def write_checkpoints(folders: Folders) -> int:
    """A line of `checkpoints.jsonl` each: path below the output, size, hash."""
    count = 0
    for path in checkpoints(folders.output):
        told = {
            "path": path.relative_to(folders.output).as_posix(),
            "size": path.stat().st_size,
            "sha256": sha256_of(path),
        }
        append(folders.report / "checkpoints.jsonl", told)
        count += 1
    return count


def file_facts(folders: Folders, sizes: dict[str, int]) -> dict[str, FileFact]:
    """Size and hash of what was shipped, for the site to compare with its own copy."""
    return {name: {"size": size, "sha256": sha256_of(folders.file(name), size)} for name, size in sizes.items()}


def measure_training(launcher: Launcher, declared: int) -> Measured:
    """Updates, items read, checkpoints written, and whether the newest one loads without executing code."""
    folders = launcher.folders
    updates, items = _metrics(folders.file("metrics.jsonl"))
    newest = newest_checkpoint(folders.output)
    loads = None
    if newest is not None:
        told = helper(["load", str(newest)], launcher.environment, folders, launcher.kind, (newest,))
        loads = "error" not in told
    return {
        "updates": updates,
        "items_read": items if items is not None else (declared if updates else None),
        "checkpoints": sum(1 for _ in checkpoints(folders.output)),
        "checkpoint_loads": loads,
    }


def _metrics(path: Path) -> tuple[int | None, int | None]:
    """How many lines name a step, and the largest `items` that one names."""
    updates, items = 0, None
    try:
        with open_plain(path) as file:
            for line in file:
                told: Any = None
                try:
                    told = json.loads(line)
                except ValueError:
                    continue
                if isinstance(told, dict) and type(told.get("step")) is int:
                    updates += 1
                    if type(told.get("items")) is int:
                        items = max(items or 0, told["items"])
    except OSError:
        return None, None
    return updates, items
