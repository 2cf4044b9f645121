"""The interrupt-and-resume test of a training: once through, and once with a new process in the middle."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilots.host import sandbox
from pilots.host.environment import Environment
from pilots.host.folders import Folders, newest_checkpoint, open_plain
from pilots.host.launch import Launched, Launcher, Start
from pilots.host.program import Limits, Program, carry_out
from pilots.spec.config import Resume
from pilots.spec.criteria import ResumeMeasured

HELPER = Path(__file__).with_name("tensors.py")
_HELPER_SECONDS = 1800.0


@dataclass(frozen=True)
class Compared:
    """What the test found; `problem` is why there is nothing to compare."""

    completed: bool
    largest_difference: float | None = None
    first_difference: str | None = None
    steps: int = 0
    tensors: int = 0
    problem: str = ""

    def measured(self) -> ResumeMeasured:
        return {
            "completed": self.completed,
            "largest_difference": self.largest_difference,
            "first_difference": self.first_difference,
        }


def carry_out_test(
    launcher: Launcher, wanted: Resume, straight: Path, tell: Callable[[str], None] = lambda _: None
) -> Compared:
    """`straight` is the output of a run that went through to `until`; the interrupted one is made here."""
    folders = launcher.folders
    output = folders.root / "resumed"
    (output / "checkpoints").mkdir(parents=True)
    for name, until, resumed in (
        ("until the interruption", wanted.interrupt_at, False),
        ("resumed", wanted.until, True),
    ):
        checkpoint = newest_checkpoint(output)
        if resumed and checkpoint is None:
            return Compared(False, problem=f"no checkpoint was written until step {wanted.interrupt_at}")
        tell(name)
        launched = _start(launcher, output, until, checkpoint if resumed else None)
        if launched.cut or not launched.ended.ok:
            return Compared(False, problem=f"the training {name} {launched.cut or launched.ended.told()}")
    return compare(straight, output, launcher)


def compare(straight: Path, resumed: Path, launcher: Launcher) -> Compared:
    """Losses step by step, then the final states tensor by tensor."""
    loss_gap, loss_where, steps = compare_losses(losses(straight), losses(resumed))
    one, other = newest_checkpoint(straight), newest_checkpoint(resumed)
    if one is None or other is None:
        return Compared(False, problem="a final checkpoint is missing", steps=steps)
    told = helper(
        ["compare", str(one), str(other)], launcher.environment, launcher.folders, launcher.kind, (one, other)
    )
    if "error" in told:
        return Compared(False, problem=f"the final states cannot be compared: {told['error']}", steps=steps)
    gaps = (loss_gap, told["largest_difference"])
    largest = None if None in gaps else max(gap for gap in gaps if gap is not None)
    where = loss_where or (told["first_difference"] and f"state {told['first_difference']}")
    return Compared(True, largest, where, steps, told["tensors"])


def losses(output: Path) -> list[tuple[int, float]]:
    """(step, loss) in the order of the lines; a line that is neither is passed over."""
    found = []
    try:
        with open_plain(output / "metrics.jsonl") as file:
            for line in file:
                try:
                    told: Any = json.loads(line)
                except ValueError:
                    continue
                if isinstance(told, dict) and type(told.get("step")) is int and type(told.get("loss")) in (int, float):
                    found.append((told["step"], float(told["loss"])))
    except OSError:
        return []
    return found


def compare_losses(
    one: list[tuple[int, float]], other: list[tuple[int, float]]
) -> tuple[float | None, str | None, int]:
    """Largest difference (None: not comparable), the first place that differs, and how many steps were compared."""
    first, second = dict(one), dict(other)
    for rows, told in ((one, first), (other, second)):
        if len(rows) != len(told):
            seen: set[int] = set()
            twice = next(step for step, _ in rows if step in seen or seen.add(step))  # type: ignore[func-returns-value]
            return None, f"step {twice} is told twice", 0
    largest, where = 0.0, None
    for step in sorted(first.keys() | second.keys()):
        if step not in first or step not in second:
            return None, f"step {step} is missing {'before' if step in second else 'after'} the resume", 0
        a, b = first[step], second[step]
        gap = 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else abs(a - b)
        if gap and where is None:
            where = f"loss at step {step}"
        if not math.isfinite(gap):
            return None, where, len(first)
        largest = max(largest, gap)
    return largest, where, len(first)


def helper(
    arguments: list[str], environment: Environment, folders: Folders, kind: sandbox.Kind, readable: tuple[Path, ...]
) -> dict[str, Any]:
    """Asks the project's own Python, in its sandbox, to load or compare checkpoints."""
    told, words = folders.work / "tensors.out", folders.work / "tensors.err"
    told.unlink(missing_ok=True)
    view = sandbox.View(
        writable=(folders.work,),
        readable=(environment.folder, *environment.seen, HELPER, *readable),
        tmp=folders.work / "tmp",
    )
    program = Program(
        sandbox.wrap([str(environment.python), str(HELPER), *arguments], view, kind),
        cwd=folders.work,
        env=sandbox.environment(folders.work, {}, [environment.python.parent]),
        stdout=told,
        stderr=words,
        result=folders.work / "tensors.json",
        limits=Limits(),
    )
    ended, late = carry_out(program, seconds=_HELPER_SECONDS)
    try:
        found: dict[str, Any] = json.loads(told.read_text().strip().splitlines()[-1])
    except (OSError, ValueError, IndexError):
        return {"error": "took too long" if late else ended.told()}
    return found


def _start(launcher: Launcher, output: Path, until: int, checkpoint: Path | None) -> Launched:
    logs = launcher.folders.work
    start = Start(output, logs / "resumed.out", logs / "resumed.err", until_step=until, checkpoint=checkpoint)
    return launcher.run(start)
