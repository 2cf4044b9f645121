"""What `script/up` says when it cannot start: one clear sentence, nothing left behind."""

import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from tests.browser.house import ROOT, House, free_port


def up(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [str(ROOT / "script" / "up"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_port_in_use_names_another(house: House, tmp_path: Path) -> None:
    port = urlsplit(house.url).port
    assert port is not None
    answer = up("--port", str(port), "--data", str(tmp_path / "data"))
    assert answer.returncode == 1
    assert f"Port {port} is in use. Choose another: script/up --port {port + 1}" in answer.stdout
    assert "Traceback" not in answer.stdout + answer.stderr


def test_one_house_a_data_folder(house: House) -> None:
    answer = up("--port", str(free_port()), "--data", str(house.data))
    assert answer.returncode == 1
    assert f"Kernodeck already runs on {house.data}" in answer.stdout
    assert (house.data / "demo.json").exists(), "the running house keeps its file"


def test_a_folder_that_cannot_be_written_is_named(house: House) -> None:
    answer = up("--port", str(free_port()), "--data", "/proc/kernodeck")
    assert answer.returncode == 1
    assert "/proc/kernodeck cannot be written" in answer.stdout
    assert "Traceback" not in answer.stdout + answer.stderr
