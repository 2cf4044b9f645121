"""The agent against a real Valkey and a small site: kills, cuts, lost answers. Nothing lost, nothing twice."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilots.host import agent
from pilots.host.state import State
from tests.host import projects
from tests.host.conftest import alive, children_named
from tests.host.fake_site import WORD, FakeRun, FakeSite, until
from tests.host.queue import Queue, valkey

ROOT = Path(__file__).parents[2]


class House:
    """A site, a queue and one enrolled host on this machine."""

    def __init__(self, site: FakeSite, queue: Queue, folder: Path) -> None:
        self.site, self.queue, self.folder = site, queue, folder
        self.state = State(folder / "state")
        self.agents: list[subprocess.Popen[bytes]] = []
        self.made = 0

    def start(self, *more: str, **env: str) -> "subprocess.Popen[bytes]":
        log = (self.folder / "agent.log").open("ab")
        argv = [sys.executable, "-m", "pilots.host.cli", "host", "start", "--state", str(self.state.folder), *more]
        started = subprocess.Popen(
            argv, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), **env}, stdout=log, stderr=log
        )
        self.agents.append(started)
        return started

    def run(self, program: str = projects.GOOD, **more: Any) -> tuple[str, FakeRun]:
        self.made += 1
        name = f"run{self.made}"
        folder = projects.make(self.folder / f"p{self.made}", program, **more)
        return name, self.site.add(name, folder, self.folder)

    def worker(self) -> int:
        told = json.loads((self.state.folder / "status.json").read_text())
        return int(told["worker"])

    def supervisor(self) -> int | None:
        held = agent.held_by(self.state)
        return held.get("pid") if held else None

    def log(self) -> str:
        logs = [self.folder / "agent.log", *sorted((self.state.folder / "logs").glob("*"))]
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in logs if path.exists())

    def end(self) -> None:
        for started in self.agents:
            with contextlib.suppress(ProcessLookupError):
                started.terminate()
            try:
                started.wait(30)
            except subprocess.TimeoutExpired:
                started.kill()
        agent.end_runs(self.state, 5)
        for pid in children_named(str(self.state.folder)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def house(tmp_path: Path, cache: Path) -> Iterator[House]:
    with valkey() as queue:
        site = FakeSite(queue.url("host-a"))
        with site.serving():
            made = House(site, queue, tmp_path)
            agent.enrol(site.url, WORD, made.state)
            (made.state.cache / "environments").symlink_to(cache)
            try:
                yield made
            finally:
                made.end()
                sys.stderr.write(made.log())


def whole(run: FakeRun) -> None:
    """Every declared id exactly once, and the stages in their order."""
    assert run.finished is not None
    ids = [line["id"] for line in run.lines("results.jsonl")]
    assert ids == [item["id"] for item in run.spec["manifest"]]
    stages = [event["stage"] for event in run.lines("events.jsonl") if event["kind"] == "stage"]
    assert stages == ["claimed", "fetched", "unpacked", "interpreter", "environment", "diagnostic", "launched",
                      "processing", "collecting"]  # fmt: skip
    assert run.finished["outcome"] == "completed"


def test_enrol_hello_ladder_and_a_run(house: House) -> None:
    assert oct(house.state.folder.stat().st_mode & 0o777) == "0o700"
    for secret in ("token", "broker"):
        assert oct((house.state.folder / secret).stat().st_mode & 0o777) == "0o600"
    started = house.start(SECRET_KEY="the site's own", DJANGO_SETTINGS_MODULE="rental.settings")
    until(lambda: house.site.hellos and house.site.reports)
    assert house.site.hellos[0]["cards"] == []
    verdicts = {rung["name"]: rung["verdict"] for rung in house.site.reports[0]}
    assert verdicts["host"] == verdicts["interpreter"] == "passed"
    assert "failed" not in verdicts.values()
    assert b"SECRET_KEY" not in Path(f"/proc/{started.pid}/environ").read_bytes()
    name, run = house.run()
    house.queue.wake(name)
    until(lambda: run.finished)
    whole(run)
    until(lambda: house.supervisor() is None)
    house.queue.wake(name)  # an old wake-up: the claim is refused, nothing happens
    began = time.monotonic()
    started.terminate()
    assert started.wait(20) == 0
    assert time.monotonic() - began < 20
    assert not children_named(str(house.state.folder))


@pytest.mark.parametrize("victim", ["worker", "agent", "pool"])
def test_kill_of_worker_or_agent_leaves_the_run_alone(house: House, victim: str) -> None:
    started = house.start()
    name, run = house.run(projects.SLOW)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    supervisor = house.supervisor()
    assert supervisor
    if victim == "agent":
        started.kill()
        house.start()
    elif victim == "worker":
        os.kill(house.worker(), signal.SIGKILL)
    else:
        for pid in children_of(house.worker()):
            os.kill(pid, signal.SIGKILL)
    house.queue.wake(name)  # the dispatcher would not, but a message may come twice
    until(lambda: run.finished)
    assert list(run.claims) == [1]
    whole(run)
    name, run = house.run()
    until(lambda: house.supervisor() is None)
    house.queue.wake(name)
    until(lambda: run.finished, 90)
    whole(run)


def test_kill_of_supervisor_ends_program_and_frees_the_slot(house: House) -> None:
    house.start()
    name, run = house.run(projects.HANGS)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    supervisor = house.supervisor()
    assert supervisor
    programs = children_named("src/program.py")
    assert programs
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: not any(map(alive, programs)), 5)
    until(lambda: house.supervisor() is None, 5)
    # the lease runs out, and the next attempt starts afresh
    run.attempt = 2
    run.spec["config"]["criteria"]["max_minutes"] = 0.05
    house.queue.wake(name, 2)
    until(lambda: run.finished)
    assert run.finished["reason"] == "time_limit"
    assert list(run.claims) == [1, 2]


def test_lost_answers_and_a_site_that_is_away(house: House) -> None:
    house.site.drop = 0.1
    house.start()
    name, run = house.run(projects.SLOW, items=12)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    house.site.away = True
    time.sleep(2)
    house.site.away, house.site.fail = False, 3
    until(lambda: run.finished, 90)
    whole(run)


def test_cancel_stops_program_and_is_told(house: House) -> None:
    house.start()
    name, run = house.run(projects.HANGS)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    run.cancel = True
    until(lambda: run.finished, 20)
    assert (run.finished["outcome"], run.finished["reason"]) == ("cancelled", "cancelled_by_customer")
    assert not children_named("src/program.py")


def test_stale_attempt_stops_and_keeps_its_files(house: House) -> None:
    house.start()
    name, run = house.run(projects.HANGS)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    run.attempt = 2
    until(lambda: house.supervisor() is None, 20)
    assert run.finished is None
    assert not children_named("src/program.py")
    kept = next(house.state.runs.iterdir())
    assert (kept / "output/results.jsonl").read_text()
    assert not (kept / "shipped.json").exists()


def test_agent_that_ends_its_runs(house: House) -> None:
    started = house.start("--on-stop", "end")
    name, run = house.run(projects.HANGS)
    until(lambda: house.site.reports)
    house.queue.wake(name)
    until(lambda: run.claims and run.files[1].get("results.jsonl"))
    started.terminate()
    assert started.wait(30) == 0
    assert run.finished
    assert (run.finished["outcome"], run.finished["reason"]) == ("cancelled", "interrupted")
    assert not children_named(str(house.state.folder))


def test_worker_survives_a_restarted_queue(house: House) -> None:
    house.start()
    until(lambda: house.site.reports)
    time.sleep(1)
    house.queue.stop()
    time.sleep(1)
    house.queue.start()
    name, run = house.run()
    for _ in range(20):
        house.queue.wake(name)  # as the dispatcher does, until it is claimed
        time.sleep(1)
        if run.finished:
            break
    until(lambda: run.finished)
    whole(run)


def children_of(pid: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                if int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(name))
    return found


def test_the_agent_starts_anew_once_where_no_language_is_set(tmp_path: Path) -> None:
    """Without LANG an interpreter sets LC_CTYPE at every start: that is no reason to start anew again."""
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "A_SECRET": "x"}
    command = [sys.executable, "-m", "pilots.host.cli", "host", "start", "--state", str(tmp_path / "none")]
    answer = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=30, check=False)
    assert answer.returncode in (1, 2)
    assert "enrol" in answer.stderr + answer.stdout
