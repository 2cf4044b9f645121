"""One user a host on the queue, which reaches its own keys and nothing else."""

import hashlib
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, urlsplit, urlunsplit

import redis
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal

log = logging.getLogger(__name__)
# `+client|setinfo` is what redis-py sends on connecting. Never `+evalsha`: a script can stop the server for everyone.
HOST_MAY = ("+ping", "+llen", "+sadd", "+multi", "+exec", "+brpop", "+lpush", "+client|setinfo")


def user_of(name: str) -> str:
    return f"host-{name}"


def prefix_of(name: str) -> str:
    return f"h:{name}:"


def give(name: str) -> str:
    """Make (or make anew) the host's user; its broker URL, with a password that is kept nowhere else."""
    if not settings.BROKER_ADMIN_URL:
        if settings.PRODUCTION:
            raise Refusal("no_broker_admin", _("BROKER_ADMIN_URL is not set: no host can be given its own queue user."))
        return str(settings.BROKER_URL)
    password = secrets.token_urlsafe(32)
    digest = hashlib.sha256(password.encode()).hexdigest()
    rules = ("reset", "on", f"#{digest}", "resetchannels", "-@all", f"~{prefix_of(name)}*", *HOST_MAY)
    with _admin() as admin:
        _say(admin, "ACL SETUSER", user_of(name), *rules)
        _save(admin)
    return with_user(settings.BROKER_PUBLIC_URL or settings.BROKER_URL, user_of(name), password)


def take(name: str) -> None:
    """Remove the host's user, which also drops its live connections."""
    if settings.BROKER_ADMIN_URL:
        with _admin() as admin:
            _say(admin, "ACL DELUSER", user_of(name))
            _save(admin)


def with_user(url: str, user: str, password: str) -> str:
    """The same address for another user."""
    parts = urlsplit(url)
    where = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{quote(user)}:{quote(password)}@{where}"))


def for_redis(url: str) -> str:
    """redis-py's name for a socket: Celery says `redis+socket://`, redis-py `unix://`."""
    return "unix" + url.removeprefix("redis+socket") if url.startswith("redis+socket://") else url


@contextmanager
def _admin() -> Iterator[redis.Redis]:
    admin = redis.Redis.from_url(for_redis(settings.BROKER_ADMIN_URL), socket_timeout=5, socket_connect_timeout=5)
    try:
        yield admin
    finally:
        admin.close()


def _say(admin: redis.Redis, *words: str) -> None:
    # redis-py has no typed call for `reset` and password hashes.
    admin.execute_command(*words)  # type: ignore[no-untyped-call]


def _save(admin: redis.Redis) -> None:
    """To the server's ACL file, where there is one: a user that is gone after a restart would silence its host."""
    try:
        _say(admin, "ACL SAVE")
    except redis.ResponseError as error:
        log.warning("the queue's users were not saved: %s", error)
