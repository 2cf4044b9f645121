"""Small projects without dependencies that go wrong in one way each; the program is `src/work.py`."""

import json
from pathlib import Path

IDS = [f"doc-{number:02d}" for number in range(1, 9)]

PROGRAM = '''"""Says a category for each text by its length."""

import argparse
import json
import pathlib
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--inputs", type=pathlib.Path)
parser.add_argument("--output", type=pathlib.Path)
parser.add_argument("--params", type=pathlib.Path)
options = parser.parse_args()
FAULT = "{fault}"
PAUSE = {pause}


def write(line):
    with (options.output / "results.jsonl").open("a") as results:
        results.write(json.dumps(line) + "\\n")


for number, path in enumerate(sorted(options.inputs.glob("*.txt")), 1):
    time.sleep(PAUSE)
    if FAULT == "exit" and number == 6:
        print("cannot go on: the model file is gone", file=sys.stderr)
        sys.exit(3)
    if FAULT == "swallow" and number == 4:
        continue
    text = path.read_text()
    line = {{"id": path.stem, "status": "accepted", "category": "long" if len(text) > 40 else "short"}}
    if not text.strip():
        line = {{"id": path.stem, "status": "refused", "reason": "no text"}}
    write(line)
    if FAULT == "twice" and number == 3:
        write(line)
    if FAULT == "invent" and number == 2:
        write({{"id": "warmup", "status": "accepted", "category": "short"}})
'''


def project(folder: Path, fault: str = "", pause: float = 0.0) -> Path:
    """A project of eight texts, the last of them empty and to be refused."""
    for part in ("config", "data/pilote", "src", "runs"):
        (folder / part).mkdir(parents=True)
    (folder / "runs" / ".gitkeep").write_text("")
    (folder / "src" / "work.py").write_text(PROGRAM.format(fault=fault, pause=pause))
    (folder / "requirements-rebuild.txt").write_text("# Nothing beyond Python's own library.\n")
    (folder / "README.md").write_text(
        "# Lengths\n\n## Install\nNothing.\n\n## Launch\n`python src/work.py`\n\n## Check\nEvery id has a line.\n"
    )
    for number, name in enumerate(IDS, 1):
        text = "" if number == len(IDS) else f"Text number {number}. " + "More words follow here. " * (number % 3)
        (folder / "data" / "pilote" / f"{name}.txt").write_text(text)
    config = {
        "schema": "kernodeck/pilot/1", "kind": "documents",
        "command": ["python", "src/work.py", "--inputs", "{inputs}", "--output", "{output}", "--params", "{params}"],
        "backend": "any", "inputs": "data/pilote", "revision": "git 0000000",
        "references": {"data": {"name": "eight short texts"}}, "extensions": [],
        "criteria": {
            "items": len(IDS), "categories": ["long", "short"], "must_refuse": [IDS[-1]], "min_agreement": None,
            "max_minutes": 5, "max_gpu_memory_gb": None,
        },
        "resume": None, "parameters": {},
    }  # fmt: skip
    (folder / "config" / "pilote.json").write_text(json.dumps(config, indent=2))
    return folder
