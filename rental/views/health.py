"""Whether this process lives, and whether it can serve: for supervisors, not for people."""

import logging

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

log = logging.getLogger(__name__)
BROKER_SECONDS = 1


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"live": True})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Pages need the database alone: without the broker, runs wait in the database and nothing is lost."""
    database = _database()
    facts = {"ready": database, "database": _word(database), "broker": _word(_broker())}
    return JsonResponse(facts, status=200 if database else 503)


def _word(good: bool) -> str:
    return "ok" if good else "unreachable"


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone() == (1,))
    except DatabaseError:
        log.exception("readiness: the database does not answer")
        return False


def _broker() -> bool:
    # Celery writes `redis+socket://` where the client library wants `unix://`.
    url = settings.BROKER_URL.replace("redis+socket://", "unix://", 1)
    try:
        with redis.Redis.from_url(url, socket_timeout=BROKER_SECONDS, socket_connect_timeout=BROKER_SECONDS) as broker:
            return bool(broker.ping())
    except (redis.RedisError, OSError, ValueError):
        return False
