"""Rung 10 of the ladder: the pilot's own program on its shortest, then on its longest input."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pilots.host.folders import open_plain
from pilots.host.journal import append
from pilots.host.launch import Launcher, Start
from pilots.host.wire import Item
from pilots.spec.results import read_line

_SECONDS: Final = 900.0


def climb(launcher: Launcher, items: Sequence[Item]) -> dict[str, Any]:
    """One line of the ladder, left in `diagnostic.jsonl` too."""
    began = time.monotonic()
    chosen = [min(items, key=lambda item: item["size"]), max(items, key=lambda item: item["size"])]
    seen: list[dict[str, Any]] = []
    error = ""
    for item in chosen[: 1 if chosen[0]["id"] == chosen[1]["id"] else 2]:
        told = _try(launcher, item)
        seen.append(told)
        if told["error"]:
            error = f"{item['id']}: {told['error']}"
            break
    rung = {
        "rung": 10,
        "name": "item",
        "verdict": "failed" if error else "passed",
        "facts": {
            "shortest": chosen[0]["id"],
            "longest": chosen[1]["id"],
            "items": seen,
            **({"error": error} if error else {}),
        },
        "seconds": round(time.monotonic() - began, 3),
        "proves": "" if error else "model, paths and the memory of the longest input",
        "does_not_prove": "the set",
        "next": "Run the program on this one input and read its first error." if error else "",
    }
    append(launcher.folders.report / "diagnostic.jsonl", rung)
    return rung


def _try(launcher: Launcher, item: Item) -> dict[str, Any]:
    folder = launcher.folders.root / "one"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "output").mkdir(parents=True)
    (folder / "inputs").mkdir()
    _lay_out(launcher.folders.project, item, folder / "inputs")
    (folder / "remaining.txt").write_text(item["id"] + "\n", encoding="utf-8")
    start = Start(
        folder / "output",
        launcher.folders.work / "one.out",
        launcher.folders.work / "one.err",
        inputs=_inputs(launcher, item, folder / "inputs"),
        remaining=folder / "remaining.txt",
    )
    seconds = min(_SECONDS, launcher.limits.seconds or _SECONDS)
    limited = replace(launcher, limits=replace(launcher.limits, seconds=seconds))
    launched = limited.run(start, samples=folder / "samples.jsonl")
    told = {
        "id": item["id"],
        "size": item["size"],
        "seconds": round(launched.seconds, 3),
        "peak_rss_bytes": launched.peak_rss_bytes,
        "peak_gpu_memory_bytes": launched.peak_gpu_memory_bytes,
    }
    said = _lines(folder / "output" / "results.jsonl")
    error = ""
    if launched.cut or not launched.ended.ok:
        error = launched.cut or f"the program {launched.ended.told()}"
    elif said != [item["id"]]:
        error = f"the results name {', '.join(said) or 'nothing'}"
    return {**told, "error": error}


def _lay_out(project: Path, item: Item, inputs: Path) -> None:
    path, _, number = item["path"].partition("#")
    if not number:
        shutil.copyfile(project / path, inputs / Path(path).name)
        return
    with open_plain(project / path) as file:
        line = next(line for at, line in enumerate(file, 1) if at == int(number))
    (inputs / Path(path).name).write_bytes(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n") + b"\n")


def _inputs(launcher: Launcher, item: Item, inputs: Path) -> Path:
    """A declared file stays a file, a declared folder a folder."""
    declared = launcher.folders.project / launcher.config.inputs
    return inputs / declared.name if declared.is_file() else inputs


def _lines(path: Path) -> list[str]:
    try:
        with open_plain(path) as file:
            return [line.id or "a malformed line" for line in map(read_line, file) if line.said != "blank"]
    except OSError:
        return []
