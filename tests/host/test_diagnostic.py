"""The ladder as the one file that it is: on this machine, alone, and with planted faults."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pilots.host import diagnostic
from pilots.host.cli import main
from pilots.host.rungs.base import LADDER

TORCH = os.environ.get("KERNODECK_TEST_TORCH", "")


def climb(tmp_path: Path, *more: str, **env: str) -> tuple[int, list[dict[str, Any]]]:
    """A copy of the file, run alone in an empty folder with nothing of the house on its path."""
    copy = tmp_path / "diagnostic.py"
    diagnostic.write(copy)
    done = subprocess.run(
        [sys.executable, "-I", str(copy), "--json", *more] if not env else [sys.executable, str(copy), "--json", *more],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **env},
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def fake_torch(tmp_path: Path, source: str) -> dict[str, str]:
    (tmp_path / "lib/torch").mkdir(parents=True)
    (tmp_path / "lib/torch/__init__.py").write_text(source)
    return {"PYTHONPATH": str(tmp_path / "lib")}


def test_cpu_machine_passes_what_applies(tmp_path: Path) -> None:
    code, rungs = climb(tmp_path)
    assert code == 0
    assert [rung["rung"] for rung in rungs] == sorted(LADDER)
    keys = {"rung", "name", "verdict", "facts", "seconds", "proves", "does_not_prove", "next"}
    assert all(set(rung) == keys for rung in rungs)
    assert rungs[0]["facts"]["cards"] == []
    assert "no GPU" in rungs[0]["facts"]["note"]
    assert {rung["verdict"] for rung in rungs} == {"passed", "not_applicable"}


def test_the_file_is_whole_and_put_together_alike() -> None:
    text = diagnostic.source()
    assert text == diagnostic.source()
    tree = ast.parse(text, feature_version=(3, 9))
    named = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {name.split(".")[0] for name in named} <= sys.stdlib_module_names
    modules = {path.stem for path in Path(diagnostic.__file__).with_name("rungs").glob("*.py")} - {"__init__"}
    assert set(diagnostic.PARTS) == modules
    tests = next(n for n in tree.body if isinstance(n, ast.AnnAssign) and getattr(n.target, "id", "") == "TESTS")
    assert isinstance(tests.value, ast.Dict)
    assert [key.value for key in tests.value.keys if isinstance(key, ast.Constant)] == sorted(LADDER)


def test_a_name_in_two_modules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostic, "PARTS", ("base", "cards"))
    monkeypatch.setattr(diagnostic, "_names", lambda nodes: iter(["cards"]))
    with pytest.raises(ValueError, match="two modules"):
        diagnostic.source()


def test_run_as_a_module_it_climbs_the_same(tmp_path: Path) -> None:
    house = Path(diagnostic.__file__).parents[2]

    def rungs(*argv: str) -> list[Any]:
        call = [sys.executable, *argv, "--json", "--only", "0,1,8"]
        done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=house)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        return [(rung["rung"], rung["verdict"], sorted(rung["facts"])) for rung in told]

    assert rungs("-m", "pilots.host.diagnostic") == rungs("-I", str(diagnostic.write(tmp_path / "alone.py")))


def test_missing_torch_is_a_verdict(tmp_path: Path) -> None:
    code, rungs = climb(tmp_path, "--need-torch")
    verdicts = {rung["rung"]: rung["verdict"] for rung in rungs}
    assert (code, verdicts[1], verdicts[2], verdicts[3]) == (1, "passed", "failed", "not_run")
    assert "torch is not installed" in rungs[2]["facts"]["error"]
    assert rungs[2]["proves"] == ""
    assert "cuda" not in rungs[2]["facts"]


def test_hang_is_a_verdict_and_leaves_nothing(tmp_path: Path) -> None:
    env = fake_torch(tmp_path, "import subprocess, time\nsubprocess.Popen(['sleep', '16.1803'])\ntime.sleep(600)\n")
    code, rungs = climb(tmp_path, "--only", "2,5", "--time-limit", "1", **env)
    assert code == 1
    assert rungs[0]["facts"] == {"error": "no answer in 1.0 s", "hang": True}
    assert rungs[1]["verdict"] == "not_run"
    from tests.host.conftest import children_named

    assert not children_named("16.1803")


def test_crash_is_a_verdict_with_its_last_words(tmp_path: Path) -> None:
    source = "import os, signal, sys\nprint('loading kernels', file=sys.stderr, flush=True)\nos.kill(os.getpid(), 11)\n"
    _, rungs = climb(tmp_path, "--only", "2", **fake_torch(tmp_path, source))
    assert rungs[0]["facts"] == {"error": "crashed with SIGSEGV", "crash": "SIGSEGV", "last_words": ["loading kernels"]}


def test_broken_import_keeps_its_error(tmp_path: Path) -> None:
    source = "raise ImportError('libcudart.so.13: cannot open shared object file')\n"
    _, rungs = climb(tmp_path, "--only", "2", **fake_torch(tmp_path, source))
    assert "libcudart.so.13" in rungs[0]["facts"]["error"]


def test_keep_going_and_expectations(tmp_path: Path) -> None:
    code, rungs = climb(tmp_path, "--backend", "cuda", "--keep-going", "--cards", "2")
    assert code == 1
    assert rungs[0]["facts"]["error"] == "no cuda card is listed"
    assert rungs[1]["verdict"] == "passed"


def test_driver_that_does_not_answer(tmp_path: Path) -> None:
    tool = tmp_path / "bin/nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch' >&2\nexit 18\n")
    tool.chmod(0o755)
    _, rungs = climb(tmp_path, "--only", "0", PATH=f"{tool.parent}:{os.environ['PATH']}")
    assert "version mismatch" in rungs[0]["facts"]["error"]


def test_listed_cards_and_a_torch_that_sees_none(tmp_path: Path) -> None:
    """Cards listed beside a CPU build are a failure, never a CPU machine."""
    tool = tmp_path / "bin/nvidia-smi"
    tool.parent.mkdir()
    row = "0, GPU-1, NVIDIA B200, 183359, 4, 580.95, 31, 190.1, 0"
    tool.write_text(f"#!/bin/sh\necho '{row}'\necho '{row.replace('GPU-1', 'GPU-2').replace('31', '[N/A]')}'\n")
    tool.chmod(0o755)
    env = fake_torch(tmp_path, "class version:\n    cuda = None\n    hip = None\n__version__ = '2.13.0+cpu'\n")
    env["PATH"] = f"{tool.parent}:{os.environ['PATH']}"
    code, rungs = climb(tmp_path, "--only", "0,2,3", **env)
    cards = rungs[0]["facts"]["cards"]
    assert [card["model"] for card in cards] == ["NVIDIA B200", "NVIDIA B200"]
    assert cards[1]["temperature_c"] is None
    assert rungs[0]["facts"]["backend"] == "cuda"
    assert (code, rungs[2]["verdict"]) == (1, "failed")
    assert "CPU build" in rungs[2]["facts"]["error"]


def test_extension_that_does_not_import(tmp_path: Path) -> None:
    env = fake_torch(tmp_path, "class version:\n    cuda = None\n")
    _, rungs = climb(tmp_path, "--only", "8", "--extensions", "flash_attn", **env)
    assert rungs[0]["verdict"] == "failed"
    assert "flash_attn" in rungs[0]["facts"]["error"]


@pytest.mark.skipif(not TORCH, reason="KERNODECK_TEST_TORCH names no interpreter with torch")
@pytest.mark.torch
def test_real_torch_on_the_processor_proves_no_gpu(tmp_path: Path) -> None:
    code, rungs = climb(tmp_path, "--torch-python", TORCH, "--only", "0,2,3,4,5,6")
    assert code == 0
    verdicts = {rung["name"]: rung["verdict"] for rung in rungs}
    assert verdicts == {"host": "passed", "import": "passed", "device": "not_applicable", "memory": "passed",
                        "compute": "passed", "libraries": "passed"}  # fmt: skip
    for rung in rungs[3:]:
        assert rung["facts"]["device"] == "cpu"
        assert rung["facts"]["gpu_proved"] is False


def test_command_line_shows_and_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--write", str(tmp_path / "ladder.py")]) == 0
    assert (tmp_path / "ladder.py").read_text() == diagnostic.source()
    capsys.readouterr()
    assert main(["diagnose"]) == 0
    assert "No GPU was proved." in capsys.readouterr().out
