"""`kernodeck` by its exit codes and its JSON: 0 holds, 1 does not hold, 2 wrong use."""

import hashlib
import json
from pathlib import Path

import pytest

from pilots.host.cli import main
from tests.host import projects

Capture = pytest.CaptureFixture[str]


def test_run_and_sheet(tmp_path: Path, cache: Path, capsys: Capture) -> None:
    folder = projects.make(tmp_path / "p", projects.SWALLOWS)
    assert main(["run", str(folder), "--cache", str(cache), "--output", str(tmp_path / "r"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["sheet"]["missing"] == ["doc-04"]
    assert main(["sheet", str(tmp_path / "r"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == told
    assert main(["run", str(folder), "--cache", str(cache), "--output", str(tmp_path / "r")]) == 2
    assert main(["sheet", str(folder)]) == 2
    capsys.readouterr()
    assert main(["run", str(projects.make(tmp_path / "q")), "--cache", str(cache)]) == 0
    shown = capsys.readouterr().out
    assert "6 declared = 5 accepted + 1 refused" in shown
    assert "It holds." in shown


def test_check(tmp_path: Path, capsys: Capture) -> None:
    folder = projects.make(tmp_path / "p")
    assert main(["check", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["holds"] is True
    (folder / "config/pilote.json").write_text('{"schema": "kernodeck/pilot/1", "kinds": 1}')
    assert main(["check", str(folder)]) == 1
    assert "Did you mean “kind”?" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "nothing")]) == 2
    assert main(["run", str(folder)]) == 1


def test_pack_is_the_same_twice(tmp_path: Path, capsys: Capture) -> None:
    folder = projects.make(tmp_path / "p")
    digests = []
    for name in ("a.zip", "b.zip"):
        assert main(["pack", str(folder), "--output", str(tmp_path / name)]) == 0
        digests.append(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert digests[0] == digests[1] == capsys.readouterr().out.split()[0]


def test_site_commands_say_what_they_need(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KERNODECK_TOKEN", raising=False)
    assert main(["status", "abc", "--url", "http://127.0.0.1:9"]) == 2
    assert "KERNODECK_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("KERNODECK_TOKEN", "kt_word")
    assert main(["status", "abc", "--url", "http://127.0.0.1:9"]) == 1
    told = capsys.readouterr().err
    assert "127.0.0.1:9" in told
    assert "kt_word" not in told


@pytest.mark.parametrize("argv", [[], ["fly"], ["host"], ["run"], ["host", "start"]])
def test_wrong_use(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2


def test_words_of_a_program_cannot_drive_the_terminal(capsys: Capture) -> None:
    from pilots.host import screen

    screen.say("a\x1b[2Jb\x9bc‮d\te")
    assert capsys.readouterr().out == "a\\x1b[2Jb\\x9bc\\u202ed\te\n"
