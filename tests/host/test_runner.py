"""A try on this machine: what good and broken programs leave, in both sandboxes."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from pilots.host import local, runner
from pilots.host.local import Judged, read_again, run
from pilots.host.program import Limits
from pilots.spec.config import ConfigError
from tests.host import projects
from tests.host.conftest import children_named


def events(judged: Judged) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (judged.folder / "report/events.jsonl").read_text().splitlines()]


def first_error(judged: Judged) -> dict[str, Any]:
    return next(event for event in events(judged) if event["kind"] == "first_error")


def test_good_run_holds(tmp_path: Path, cache: Path, each_sandbox: str) -> None:
    folder = projects.make(tmp_path / "p", expected=True, criteria={"min_agreement": 1.0, "max_minutes": 1})
    judged = run(folder, cache)
    assert judged.holds, judged.as_dict()
    assert judged.sheet is not None
    assert (judged.sheet["declared"], judged.sheet["accepted"], judged.sheet["refused"]) == (6, 5, 1)
    stages = [event["stage"] for event in events(judged) if event["kind"] == "stage"]
    assert stages == ["unpacked", "interpreter", "environment", "diagnostic", "launched", "processing", "collecting"]
    assert {"sandbox": each_sandbox} == {
        "sandbox": next(e["sandbox"] for e in events(judged) if e.get("code") == "sandbox")
    }
    assert (judged.folder / "report/freeze.txt").read_text() == ""
    assert read_again(judged.folder).as_dict() == {**judged.as_dict()}
    rungs = [json.loads(line) for line in (judged.folder / "report/diagnostic.jsonl").read_text().splitlines()]
    assert rungs[0]["verdict"] == "passed"
    assert not any(rung["facts"].get("gpu_proved") for rung in rungs)


def test_program_that_exits_3_after_five(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.make(tmp_path / "p", projects.FAILS_AFTER_FIVE), cache)
    assert not judged.holds
    assert (judged.result["outcome"], judged.result["reason"], judged.result["exit_code"]) == (
        "failed",
        "program_failed",
        3,
    )
    assert judged.result["fault"] == "project"
    assert judged.sheet is not None
    assert judged.sheet["missing"] == ["doc-06"]
    told = first_error(judged)
    assert (told["file"], told["text"]) == ("stderr.log", "ValueError: page 6 is torn")
    assert told["stage"] == "processing"


@pytest.mark.parametrize(
    ("program", "key", "ids"),
    [
        (projects.INVENTS, "invented", ["doc-99"]),
        (projects.TWICE, "duplicated", ["doc-01"]),
        (projects.SWALLOWS, "missing", ["doc-04"]),
    ],
)
def test_exit_code_zero_proves_nothing(tmp_path: Path, cache: Path, program: str, key: str, ids: list[str]) -> None:
    judged = run(projects.make(tmp_path / "p", program), cache)
    assert (judged.result["outcome"], judged.holds) == ("completed", False)
    assert judged.sheet is not None
    assert judged.sheet[key] == ids
    assert judged.sheet["holds"] is False


def test_hang_ends_at_the_time_limit(tmp_path: Path, cache: Path, each_sandbox: str) -> None:
    folder = projects.make(tmp_path / "p", projects.HANGS, criteria={"max_minutes": 0.02})
    judged = run(folder, cache)
    assert (judged.result["reason"], judged.result["fault"]) == ("time_limit", "project")
    assert judged.sheet is not None
    assert judged.sheet["accepted"] == 1
    assert not children_named(str(folder))


def test_huge_log_is_cut_and_said(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.Try, "_limits", lambda self: Limits(log_bytes=1_000_000, grace_seconds=1))
    judged = run(projects.make(tmp_path / "p", projects.GOOD + "while True: print('x' * 1000)\n"), cache)
    assert judged.result["reason"] == "output_limit"
    assert first_error(judged)["text"].startswith("The program wrote more than a file may hold.")


def test_file_beyond_its_limit(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.Try, "_limits", lambda self: Limits(file_bytes=1_000_000, grace_seconds=1))
    program = projects.GOOD + "open(output + '/big', 'wb').write(b'x' * 2_000_000)\n"
    judged = run(projects.make(tmp_path / "p", program), cache)
    assert judged.result["reason"] == "output_limit"


def test_daemon_does_not_outlive_its_program(tmp_path: Path, cache: Path, each_sandbox: str) -> None:
    daemon = (
        "import subprocess\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        os.execvp('sleep', ['sleep', '31.4159'])\n    os._exit(0)\ntime.sleep(0.2)\n"
    )
    judged = run(projects.make(tmp_path / "p", projects.GOOD + daemon), cache)
    assert judged.holds
    time.sleep(0.1)
    assert not children_named("31.4159")
    if each_sandbox == "process":  # bubblewrap's own end is faster than any look at it
        assert any(event.get("code") == "leftovers" for event in events(judged))


def test_program_that_ignores_term_is_killed(
    tmp_path: Path, cache: Path, each_sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner.Try, "_limits", lambda self: Limits(seconds=0.5, grace_seconds=0.5))
    stubborn = projects.HEAD + "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(27.1828)\n"
    began = time.monotonic()
    judged = run(projects.make(tmp_path / "p", stubborn), cache)
    assert judged.result["reason"] == "time_limit"
    assert time.monotonic() - began < 15


def test_cancel_and_remaining(tmp_path: Path, cache: Path) -> None:
    """What a cancelled run left undone is finished by the next, and the sheet holds over both."""
    from pilots.host.launch import Halt

    folder, halt = projects.make(tmp_path / "p", projects.SLOW), Halt()

    def teller(event: dict[str, Any]) -> None:
        if event.get("stage") == "processing":
            halt.say("cancelled_by_customer")

    first = run(folder, cache, teller=teller, halt=halt)
    assert (first.result["outcome"], first.result["fault"]) == ("cancelled", None)
    assert first.sheet is not None
    assert 0 < len(first.sheet["missing"]) < 6
    second = run(folder, cache, resume=first.folder)
    assert second.holds, second.as_dict()
    assert (second.folder / "given/remaining.txt").read_text().split() == first.sheet["missing"]


def test_clean_view_of_the_machine(
    tmp_path: Path, cache: Path, each_sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program sees no secret in its environment or its parents'; in bubblewrap not the agent's folder either."""
    secret = tmp_path / "state" / "token"
    secret.parent.mkdir(mode=0o700)
    secret.write_text("kh_very_secret")
    monkeypatch.setenv("SECRET_KEY", "kh_very_secret")
    monkeypatch.setenv("KERNODECK_TOKEN", "kh_very_secret")
    look = projects.GOOD + (
        "found = []\n"
        "for name in os.listdir('/proc'):\n"
        "    if name.isdigit() and name in (str(os.getpid()), str(os.getppid())):\n"
        "        found.append(open('/proc/%s/environ' % name).read())\n"
        "found.append(repr(os.environ))\n"
        f"found.append(str(os.path.exists({str(secret)!r})))\n"
        f"found.append(str(os.path.exists('/etc/shadow')))\n"
        "print(found)\n"
    )
    judged = run(projects.make(tmp_path / "p", look), cache)
    assert judged.holds, judged.as_dict()
    words = (judged.folder / "report/stdout.log").read_text()
    assert "very_secret" not in words
    if each_sandbox == "bubblewrap":
        assert words.rstrip().endswith("'False', 'False']")


def test_expected_answers_are_hidden(tmp_path: Path, cache: Path, each_sandbox: str) -> None:
    look = projects.GOOD + "print('there:', os.listdir('config'))\n"
    judged = run(projects.make(tmp_path / "p", look, expected=True), cache)
    assert (judged.folder / "report/stdout.log").read_text().strip() == "there: ['pilote.json']"
    assert judged.sheet is not None
    assert judged.sheet["agreement"]["agreed"] == 5


def test_link_as_results_is_not_followed(tmp_path: Path, cache: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"id": "doc-01", "status": "accepted", "category": "letter"}\n')
    program = f"import os, sys\nos.symlink({str(secret)!r}, sys.argv[4] + '/results.jsonl')\n"
    folder = projects.make(tmp_path / "p", program)
    judged = run(folder, cache)
    assert judged.result["reason"] == "program_failed"
    assert judged.sheet is not None
    assert judged.sheet["lines"] == 0
    assert first_error(judged)["text"] == "results.jsonl is a link or no file at all."


def test_missing_program_and_requirements(tmp_path: Path, cache: Path, each_sandbox: str) -> None:
    judged = run(projects.make(tmp_path / "a", command=["no-such-program"]), cache)
    assert judged.result["reason"] == "program_missing"
    folder = projects.make(tmp_path / "b")
    (folder / "requirements-rebuild.txt").unlink()
    assert run(folder, cache).result["reason"] == "requirements_missing"


def test_impossible_requirement_names_pips_error(tmp_path: Path, cache: Path) -> None:
    folder = projects.make(tmp_path / "p")
    (folder / "requirements-rebuild.txt").write_text("./no-such-wheel-1.0-py3-none-any.whl\n")
    judged = run(folder, cache)
    assert (judged.result["reason"], judged.result["fault"]) == ("environment_failed", "project")
    told = first_error(judged)
    assert (told["file"], told["stage"]) == ("install.log", "environment")
    assert "no-such-wheel" in told["text"]


def test_broken_environment_is_made_anew(tmp_path: Path) -> None:
    own = tmp_path / "cache"
    folder = projects.make(tmp_path / "p")
    assert run(folder, own).holds
    kept = next(path for path in own.iterdir() if (path / "whole.json").exists())
    (kept / "venv/pyvenv.cfg").unlink()
    judged = run(folder, own)
    assert judged.holds
    assert next(event["reused"] for event in events(judged) if event.get("code") == "environment") is False


def test_bad_configuration_never_starts(tmp_path: Path, cache: Path) -> None:
    folder = projects.make(tmp_path / "p", command=["python", "{inptus}"])
    with pytest.raises(ConfigError, match="inputs"):
        run(folder, cache)
    assert not list((folder / "runs").iterdir())


def test_one_item_rung(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.make(tmp_path / "a"), cache, one_item=True)
    rungs = [json.loads(line) for line in (judged.folder / "report/diagnostic.jsonl").read_text().splitlines()]
    assert rungs[-1]["rung"] == 10
    assert rungs[-1]["verdict"] == "passed"
    assert [row["id"] for row in rungs[-1]["facts"]["items"]] == ["doc-06", "doc-01"]
    judged = run(projects.make(tmp_path / "b", projects.INVENTS), cache, one_item=True)
    assert judged.result["reason"] == "program_failed"
    assert "doc-99" in first_error(judged)["text"]


def test_peak_is_measured_and_gpu_is_not_zero(tmp_path: Path, cache: Path) -> None:
    judged = run(projects.make(tmp_path / "p", projects.SLOW), cache)
    samples = [json.loads(line) for line in (judged.folder / "report/samples.jsonl").read_text().splitlines()]
    assert max(sample["rss_bytes"] or 0 for sample in samples) > 1_000_000
    assert all(sample["gpu"] is None for sample in samples)
    assert judged.result["measured"]["peak_gpu_memory_bytes"] is None


def test_unused_output_folder_is_refused(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(local.NotUsable, match="exists already"):
        run(projects.make(tmp_path / "p"), cache, output=tmp_path / "there")
