"""The whole house as `script/up` starts it, for tests: its address, its people, its processes."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class House:
    url: str
    data: Path
    demo: dict[str, Any]
    process: "subprocess.Popen[str] | None"

    def manage(self, *arguments: str) -> str:
        """A management command against the running house's own data."""
        secrets = json.loads((self.data / "secrets.json").read_text())
        environment = {**os.environ, "DATA_DIR": str(self.data), "SITE_URL": self.url, "DEMO": "on"}
        environment |= {"SECRET_KEY": secrets["SECRET_KEY"], "DJANGO_SETTINGS_MODULE": "rental.settings"}
        environment.pop("DATABASE_URL", None)
        python = ROOT / ".venv" / "bin" / "python"
        answer = subprocess.run(
            [str(python), "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return answer.stdout

    def processes(self, words: str) -> list[int]:
        """Pids whose command line holds `words` and that belong to this house's data folder or address."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                environment = (entry / "environ").read_bytes().decode(errors="replace")
                if words in line and (str(self.data) in line or f"DATA_DIR={self.data}\0" in environment):
                    found.append(int(entry.name))
        return found


@contextlib.contextmanager
def running(**environment: str) -> Iterator[House]:
    """`script/up` in an empty folder, until every part answers; stopped by TERM afterwards.

    `KERNODECK_HOUSE=DIR` takes the one already running on that data folder, and leaves it running.
    """
    if folder := os.environ.get("KERNODECK_HOUSE"):
        demo = json.loads((Path(folder) / "demo.json").read_text())
        yield House(demo["url"], Path(folder), demo, None)
        return
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="kernodeck-house-") as folder:
        data = Path(folder)
        clean = {
            key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "DATA_DIR", "HASHED_STATIC")
        }
        for name in ("LOG_LEVEL", "EMAIL_BACKEND", "DJANGO_SETTINGS_MODULE"):
            clean.pop(name, None)
        with (data / "up.out").open("w") as out:
            process = subprocess.Popen(
                [str(ROOT / "script" / "up"), "--port", str(port), "--data", str(data)],
                stdout=out, stderr=subprocess.STDOUT, text=True, env={**clean, **environment}, start_new_session=True,
            )  # fmt: skip
        try:
            wait_for(data / "demo.json", process, data / "up.out")
            yield House(f"http://127.0.0.1:{port}", data, json.loads((data / "demo.json").read_text()), process)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_for(path: Path, process: "subprocess.Popen[str]", out: Path, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"script/up did not get ready:\n{out.read_text()[-3000:]}")
        time.sleep(0.2)
