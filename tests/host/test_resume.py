"""The interrupt-and-resume test: equal trainings hold, a forgotten state is named by step and tensor."""

import json
import math
import os
from pathlib import Path

import pytest

from pilots.host.cli import main
from pilots.host.local import run
from pilots.host.resume import compare_losses
from pilots.host.tensors import compare, leaves
from tests.host import projects


def test_whole_state_holds(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.training(tmp_path / "p"), cache)
    assert judged.holds, judged.as_dict()
    assert judged.result["measured"]["resume"] == {
        "completed": True,
        "largest_difference": 0.0,
        "first_difference": None,
    }
    assert judged.result["measured"]["updates"] == 20
    assert judged.result["measured"]["checkpoint_loads"] is True
    told = json.loads((judged.folder / "report/checkpoints.jsonl").read_text())
    assert told["path"] == "checkpoints/step-0020.json"


def test_forgotten_state_names_step_and_fails(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = projects.training(tmp_path / "p", forget="state['drift'] = [0.5, 0.25]")
    assert main(["resume-test", str(folder), "--cache", str(cache), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["resume"]["measured"]["first_difference"] == "loss at step 11"
    assert told["resume"]["measured"]["largest_difference"] > 0.1


def test_state_that_losses_do_not_show(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.training(tmp_path / "p", forget="state['drift'][1] = 0.0"), cache)
    assert judged.result["measured"]["resume"]["first_difference"] == "state drift[1]"
    assert not judged.holds


def test_resumed_process_that_fails(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.training(tmp_path / "p", forget="sys.exit(4)"), cache)
    assert judged.result["reason"] == "resume_failed"
    assert judged.result["measured"]["resume"]["completed"] is False


def test_losses_step_by_step() -> None:
    one = [(1, 0.5), (2, math.nan), (3, 0.25)]
    assert compare_losses(one, list(one)) == (0.0, None, 3)
    assert compare_losses(one, [*one[:2], (3, 0.75)]) == (0.5, "loss at step 3", 3)
    assert compare_losses(one, one[:2])[:2] == (None, "step 3 is missing after the resume")
    assert compare_losses(one, [*one, (3, 0.25)])[:2] == (None, "step 3 is told twice")
    assert compare_losses(one, [(1, math.inf), *one[1:]])[:2] == (None, "loss at step 1")


def test_states_name_their_first_difference(tmp_path: Path) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text(json.dumps({"model": {"w": [1.0, 2.0]}, "step": 3, "name": "x"}))
    other.write_text(json.dumps({"model": {"w": [1.0, 2.5]}, "step": 3, "name": "x"}))
    assert compare(one, other) == {"tensors": 4, "first_difference": "model/w[1]", "largest_difference": 0.5}
    other.write_text(json.dumps({"model": {"w": [1.0, 2.0]}, "step": 3, "name": "y"}))
    assert compare(one, other)["largest_difference"] is None
    assert list(leaves({"a": [{"b": 1}]})) == ["a[0]/b"]


TORCH = os.environ.get("KERNODECK_TEST_TORCH", "")


@pytest.mark.skipif(not TORCH, reason="KERNODECK_TEST_TORCH names no interpreter with torch")
def test_malicious_checkpoint_is_refused(tmp_path: Path) -> None:
    import subprocess

    from pilots.host.resume import HELPER

    make = (
        "import os, sys, torch\n"
        "class Evil:\n    def __reduce__(self):\n        return os.system, ('touch ' + sys.argv[1] + '/ran',)\n"
        "torch.save({'w': torch.ones(3), 'x': Evil()}, sys.argv[1] + '/evil.pt')\n"
        "torch.save({'w': torch.ones(3)}, sys.argv[1] + '/one.pt')\n"
        "torch.save({'w': torch.tensor([1.0, 1.0, 2.0])}, sys.argv[1] + '/two.pt')\n"
    )
    subprocess.run([TORCH, "-c", make, str(tmp_path)], check=True)
    evil = subprocess.run([TORCH, str(HELPER), "load", str(tmp_path / "evil.pt")], capture_output=True, text=True)
    assert evil.returncode == 1
    assert "error" in json.loads(evil.stdout)
    assert not (tmp_path / "ran").exists()
    argv = [TORCH, str(HELPER), "compare", str(tmp_path / "one.pt"), str(tmp_path / "two.pt")]
    told = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
    assert told == {"tensors": 1, "first_difference": "w", "largest_difference": 1.0}
