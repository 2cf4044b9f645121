"""Small projects with stdlib programs, good and broken, written where a test wants them."""

import json
from pathlib import Path
from typing import Any

DOCUMENT_ARGUMENTS = ("--inputs", "{inputs}", "--output", "{output}", "--remaining", "{remaining}")
TRAINING_ARGUMENTS = ("--output", "{output}", "--checkpoint", "{checkpoint}", "--until", "{until_step}")
HEAD = """
import json, os, sys, time
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
inputs, output = arguments["--inputs"], arguments["--output"]
ids = open(arguments["--remaining"], encoding="utf-8").read().split()
results = open(os.path.join(output, "results.jsonl"), "a", encoding="utf-8")

def text(identity):
    return open(os.path.join(inputs, identity + ".txt"), encoding="utf-8").read()

def say(**line):
    results.write(json.dumps(line) + "\\n")
    results.flush()

def answer(identity):
    if text(identity).strip():
        say(id=identity, status="accepted", category="letter")
    else:
        say(id=identity, status="refused", reason="empty")
"""
GOOD = HEAD + "for identity in ids:\n    answer(identity)\n"
FAILS_AFTER_FIVE = HEAD + (
    "for number, identity in enumerate(ids):\n"
    "    if number == 5:\n"
    "        sys.stderr.write('ValueError: page 6 is torn\\n')\n"
    "        sys.exit(3)\n"
    "    answer(identity)\n"
)
INVENTS = GOOD + "say(id='doc-99', status='accepted', category='letter')\n"
TWICE = GOOD + "answer(ids[0])\n"
SWALLOWS = HEAD + "for identity in ids:\n    if identity != 'doc-04':\n        answer(identity)\n"
HANGS = HEAD + "answer(ids[0])\ntime.sleep(3600)\n"
SLOW = HEAD + "for identity in ids:\n    time.sleep(float(os.environ.get('PAUSE', '0.4')))\n    answer(identity)\n"


def make(folder: Path, program: str = GOOD, *, items: int = 6, expected: bool = False, **changes: Any) -> Path:
    """A project folder; `changes` go into its configuration, `criteria` key by key."""
    for name in ("config", "src", "data/pilote", "runs"):
        (folder / name).mkdir(parents=True)
    ids = [f"doc-{number:02}" for number in range(1, items + 1)]
    for identity in ids:
        words = "" if identity == ids[-1] else f"Dear reader of {identity}\n"
        (folder / "data/pilote" / f"{identity}.txt").write_text(words, encoding="utf-8")
    (folder / "src/program.py").write_text(program, encoding="utf-8")
    (folder / "requirements-rebuild.txt").write_text("# the standard library is enough\n")
    (folder / "README.md").write_text("Install: nothing. Launch: see config. Check: the sheet.\n")
    criteria = {"items": items, "categories": ["letter"], "must_refuse": [ids[-1]], **changes.pop("criteria", {})}
    config = {
        "schema": "kernodeck/pilot/1",
        "kind": "documents",
        "command": ["python", "src/program.py", *DOCUMENT_ARGUMENTS],
        "inputs": "data/pilote",
        "criteria": criteria,
        **changes,
    }  # fmt: skip
    (folder / "config/pilote.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    if expected:
        answers = dict.fromkeys(ids[:-1], "letter")
        (folder / "config/expected.json").write_text(json.dumps(answers), encoding="utf-8")
    return folder


TRAINING = """
import json, os, sys
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
output, checkpoint, until = arguments["--output"], arguments["--checkpoint"], int(arguments["--until"])
state = {"step": 0, "weight": 1.0, "drift": [0.5, 0.25]}
if checkpoint:
    state = json.load(open(checkpoint))
    FORGET
os.makedirs(os.path.join(output, "checkpoints"), exist_ok=True)
with open(os.path.join(output, "metrics.jsonl"), "a") as metrics:
    while state["step"] < until:
        state["step"] += 1
        state["weight"] *= 0.9
        state["drift"] = [value * 1.1 for value in state["drift"]]
        loss = state["weight"] + state["drift"][0]
        metrics.write(json.dumps({"step": state["step"], "loss": loss, "items": 4}) + "\\n")
with open(os.path.join(output, "checkpoints", "step-%04d.json" % state["step"]), "w") as file:
    json.dump(state, file)
"""


def training(folder: Path, forget: str = "pass") -> Path:
    """A training whose resumed state is whole, unless `forget` spoils it."""
    command = ["python", "src/program.py", *TRAINING_ARGUMENTS]
    make(folder, TRAINING.replace("FORGET", forget), kind="training", command=command,
         resume={"interrupt_at": 10, "until": 20, "tolerance": 0})  # fmt: skip
    path = folder / "config/pilote.json"
    config = json.loads(path.read_text())
    config["criteria"] = {"items": 4, "min_updates": 20}
    path.write_text(json.dumps(config))
    return folder
