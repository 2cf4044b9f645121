"""Everything of the house on one machine: queue, pages, dispatcher, sweep and a host agent, kept running."""

import argparse
import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import broker
from environment import ROOT, Trouble, say

HOST_NAME = "this-machine"


@dataclass
class Part:
    """One process: how it starts, and what is done when it dies."""

    name: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    process: "subprocess.Popen[bytes] | None" = None
    failures: list[float] = field(default_factory=list)

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class House:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.data: Path = options.data.resolve()
        self.url = f"http://127.0.0.1:{options.port}"
        self.demo = not options.no_demo
        self.parts: list[Part] = []
        self.stopping = False
        self.lock: IO[str] | None = None

    # ── before anything starts ────────────────────────────────────────────────────────────────────────────────

    def check(self) -> None:
        """Refuse, with a sentence, what could only fail later."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            (self.data / "logs").mkdir(exist_ok=True)
            self.lock = (self.data / "up.lock").open("a+")
        except OSError as error:
            raise Trouble(
                f"{self.data} cannot be written ({error.strerror}). Choose another folder: script/up --data DIR"
            ) from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Trouble(
                f"Kernodeck already runs on {self.data}. Stop it there (Ctrl-C), or choose another folder: --data DIR"
            ) from None
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", self.options.port))
            except OSError:
                raise Trouble(
                    f"Port {self.options.port} is in use. Choose another: script/up --port {self.options.port + 1}"
                ) from None
        (self.data / "demo.json").unlink(missing_ok=True)

    def secrets(self) -> dict[str, str]:
        """Secrets of this installation, made once and kept readable by its owner alone."""
        path = self.data / "secrets.json"
        kept: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        for name in ("SECRET_KEY", "broker_site", "broker_admin"):
            kept.setdefault(name, secrets.token_urlsafe(40))
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(kept, file, indent=1)
        return kept

    def environment(self) -> dict[str, str]:
        kept = self.secrets()
        # A unix socket's path has at most 107 bytes; a deep folder gets its socket elsewhere.
        self.queue = self.data / "valkey"
        if len(str(self.queue / "valkey.sock")) > 100:
            self.queue = Path(tempfile.mkdtemp(prefix="kernodeck-"))
        self.queue.mkdir(exist_ok=True)
        broker.write_users(self.queue, kept["broker_site"], kept["broker_admin"])
        sock = self.queue / "valkey.sock"
        return {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "rental.settings",
            "KERNODECK_MODE": "embedded",
            "DEMO": "on" if self.demo else "off",
            "DATA_DIR": str(self.data),
            "SITE_URL": self.url,
            "SECRET_KEY": kept["SECRET_KEY"],
            "BROKER_URL": f"redis+socket://web:{kept['broker_site']}@{sock}",
            "BROKER_ADMIN_URL": f"redis+socket://admin:{kept['broker_admin']}@{sock}",
        }

    # ── the processes ─────────────────────────────────────────────────────────────────────────────────────────

    def spawn(self, name: str, command: list[str]) -> "subprocess.Popen[bytes]":
        with (self.data / "logs" / f"{name}.log").open("ab") as log:
            # A session of its own: Ctrl-C reaches this process alone, which then stops the others in order.
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def manage(self, *arguments: str) -> str:
        answer = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise Trouble(f"manage.py {arguments[0]} failed:\n{answer.stderr.strip()[-2000:]}")
        return answer.stdout

    def add(self, name: str, command: list[str]) -> Part:
        part = Part(name, lambda: self.spawn(name, command))
        part.process = part.start()
        self.parts.append(part)
        return part

    def start(self) -> None:
        self.env = self.environment()
        part = Part("queue", lambda: broker.start(self.queue))
        part.process = part.start()
        self.parts.append(part)
        say("Preparing the database, messages and static files")
        self.manage("prepare")
        self.wait("the queue", lambda: broker.answers(self.queue), 10)
        demo = json.loads(self.manage("demo", "--json").strip().splitlines()[-1]) if self.demo else {}
        say("Starting the pages, the dispatcher and the sweep")
        self.add("web", [
            str(Path(sys.executable).parent / "granian"), "--interface", "wsgi", "rental.wsgi:application",
            "--host", "127.0.0.1", "--port", str(self.options.port), "--workers", "1", "--blocking-threads", "8",
            "--respawn-failed-workers", "--no-access-log",
        ])  # fmt: skip
        self.add("dispatch", [sys.executable, "manage.py", "dispatch"])
        self.add("sweep", [sys.executable, "manage.py", "sweep"])
        self.wait("the pages", lambda: self.answers("/health/ready"), 60)
        if self.demo:
            self.start_host(demo)
            self.write_demo(demo)

    def start_host(self, demo: dict[str, Any]) -> None:
        """This machine as a CPU host: enrolled once, with a user of its own on the queue."""
        state = self.data / "host"
        agent = [sys.executable, "-m", "pilots.host.cli", "host"]
        if not (state / "host.json").exists():
            say("Enrolling this machine as a host without a GPU")
            token = self.manage("enrolment", HOST_NAME, "--plain").strip().splitlines()[-1]
            command = [*agent, "enrol", "--url", self.url, "--token-stdin", "--state", str(state)]
            answer = subprocess.run(
                command, env=self.env, cwd=ROOT, input=token, capture_output=True, text=True, check=False
            )
            if answer.returncode:
                raise Trouble(f"This machine could not be enrolled:\n{answer.stderr.strip()[-1500:]}")
        demo["host"] = json.loads((state / "host.json").read_text())["host"]
        say("Starting the host agent; it runs its diagnostic first")
        self.add("host", [*agent, "start", "--state", str(state), "--on-stop", "end"])
        self.wait("the host agent", lambda: bool(self.manage_quiet("demo", "--host-ready", demo["host"])), 90)

    def manage_quiet(self, *arguments: str) -> bool:
        answer = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.env, capture_output=True, check=False
        )
        return answer.returncode == 0

    def write_demo(self, demo: dict[str, Any]) -> None:
        path = self.data / "demo.json"
        handle = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({"url": self.url, **demo}, file, indent=1)
        path.with_suffix(".new").replace(path)

    def answers(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(self.url + path, timeout=2) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def wait(self, what: str, ready: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not ready():
            dead = [part.name for part in self.parts if not part.alive()]
            if dead:
                raise Trouble(f"{dead[0]} ended at once. Its last words:\n{self.last_words(dead[0])}")
            if time.monotonic() > end:
                raise Trouble(f"{what} did not answer within {seconds:.0f} s. See {self.data / 'logs'}")
            time.sleep(0.1)

    def last_words(self, name: str) -> str:
        path = self.queue / "valkey.log" if name == "queue" else self.data / "logs" / f"{name}.log"
        return path.read_text(errors="replace")[-1500:] if path.exists() else "(none)"

    # ── while it runs ─────────────────────────────────────────────────────────────────────────────────────────

    def keep(self) -> None:
        """Start again what dies, slower and slower when it keeps dying, until asked to stop."""
        waiting: dict[str, float] = {}
        while not self.stopping:
            for part in self.parts:
                if part.alive():
                    continue
                now = time.monotonic()
                if part.name not in waiting:
                    part.failures = [at for at in part.failures if now - at < 120] + [now]
                    delay = min(30.0, 0.2 * 2 ** (len(part.failures) - 1))
                    waiting[part.name] = now + delay
                    code = part.process.returncode if part.process else "?"
                    say(f"{part.name} ended (code {code}); starting it again in {delay:.1f} s")
                elif now >= waiting[part.name]:
                    del waiting[part.name]
                    part.process = part.start()
            time.sleep(0.2)

    def stop(self) -> None:
        """The agent first, so that it can say what it leaves; the queue last."""
        for part in reversed(self.parts):
            if part.process and part.alive():
                part.process.send_signal(signal.SIGTERM)
                try:
                    part.process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    say(f"{part.name} did not stop within 20 s and was killed")
                    os.killpg(part.process.pid, signal.SIGKILL)
                    part.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/up", description="The whole of Kernodeck on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--data", type=Path, default=ROOT / "var", help="folder for database, files, keys and logs")
    parser.add_argument("--no-demo", action="store_true", help="no example catalogue, people or host")
    house = House(parser.parse_args())

    def asked_to_stop(_signal: int, _frame: object) -> None:
        if house.stopping:
            return
        house.stopping = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, asked_to_stop)
    signal.signal(signal.SIGINT, asked_to_stop)
    started, code = time.monotonic(), 0
    try:
        house.check()
        house.start()
        say(f"\nKernodeck runs at {house.url}  (ready after {time.monotonic() - started:.1f} s)")
        if house.demo:
            demo = json.loads((house.data / "demo.json").read_text())
            say(f"  customer  {demo['customer']['email']}  {demo['customer']['password']}")
            say(f"  operator  {demo['operator']['email']}  {demo['operator']['password']}  (TOTP secret: demo.json)")
            say(f"  letters   {house.url}/outbox/      all of it: {house.data / 'demo.json'}")
        say("Ctrl-C stops everything.")
        house.keep()
    except KeyboardInterrupt:
        say("\nStopping")
    except Trouble as trouble:
        say(str(trouble))
        code = 1
    finally:
        house.stopping = True
        house.stop()
    say("Stopped.")
    sys.exit(code)


if __name__ == "__main__":
    main()
