"""The queue's lines of rights against the locked Celery, kombu and Valkey: enough, and not one word more."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from pilots.host.state import State
from tests.host.queue import HOST, Queue, valkey

ROOT = Path(__file__).parents[2]


@pytest.fixture
def queue() -> Iterator[Queue]:
    with valkey() as made:
        yield made


def connect(queue: Queue, user: str) -> "redis.Redis[bytes]":
    return redis.Redis(unix_socket_path=str(queue.socket), username=user, password=f"word-of-{user}")


def worker(queue: Queue, tmp_path: Path) -> "subprocess.Popen[bytes]":
    state = State(tmp_path / "state")
    state.enrol("http://127.0.0.1:1", {"host": "a", "token": "t", "broker_url": queue.url("host-a"),
                                       "key_prefix": "h:a:", "hello_seconds": 1})  # fmt: skip
    state.slot()  # held: a wake-up is taken and answered with nothing
    with (tmp_path / "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "pilots.host.worker", "--state", str(state.folder)], cwd=ROOT, stdout=log, stderr=log
        )


def words(tmp_path: Path) -> str:
    return (tmp_path / "log").read_text(errors="replace")


def wait_for(tmp_path: Path, what: str, process: "subprocess.Popen[bytes]", seconds: float = 40) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if what in words(tmp_path):
            return True
        time.sleep(0.1)
    return what in words(tmp_path)


def test_worker_takes_a_wake_up_with_these_rights(queue: Queue, tmp_path: Path) -> None:
    started = worker(queue, tmp_path)
    try:
        assert wait_for(tmp_path, "ready", started), words(tmp_path)
        queue.wake("somerun", 1)
        assert wait_for(tmp_path, "the slot is held", started), words(tmp_path)
        assert "NOPERM" not in words(tmp_path)
    finally:
        started.terminate()
        started.wait(30)


def test_rights_end_at_the_hosts_own_keys(queue: Queue) -> None:
    host = connect(queue, "host-a")
    assert host.llen("h:a:runs") == 0
    for denied in (
        lambda: host.llen("h:b:runs"),
        lambda: host.lpush("runs", "x"),
        lambda: host.get("h:a:x"),
        lambda: host.execute_command("EVALSHA", "0" * 40, "0"),
        lambda: host.execute_command("ACL", "WHOAMI"),
        lambda: host.keys("*"),
        lambda: host.publish("h:a:x", "y"),
        lambda: connect(queue, "web").brpop("h:a:runs", timeout=1),
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            denied()
    with pytest.raises(redis.exceptions.AuthenticationError):
        redis.Redis(unix_socket_path=str(queue.socket)).ping()


@pytest.mark.slow
@pytest.mark.parametrize("without", ["+brpop", "+sadd"])
def test_a_right_less_and_the_worker_is_deaf(queue: Queue, tmp_path: Path, without: str) -> None:
    queue.stop()
    queue.start(HOST.replace(f" {without}", ""))
    started = worker(queue, tmp_path)
    try:
        queue.wake("somerun", 1)
        assert not wait_for(tmp_path, "the slot is held", started, 6)
        assert "no permissions" in words(tmp_path).lower()
    finally:
        started.kill()
        started.wait(30)
