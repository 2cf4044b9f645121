"""Sends a host its wake-up: a Celery message of two words, without command, secret or result."""

import logging

from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from pilots.broker import prefix_of
from pilots.host import wire

log = logging.getLogger(__name__)


def app() -> Celery:
    """A small Celery app that only sends; it never looks for tasks or for Django."""
    made = Celery("kernodeck", broker=settings.BROKER_URL, set_as_current=False, fixups=[])
    made.conf.update(
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        task_default_queue=wire.QUEUE,
        task_protocol=2,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
    )
    return made


def wake(host: str, run: str, attempt: int) -> bool:
    """Offer a run to its host. False means unknown, not unsent: the caller offers again later.

    A connection of its own for each message (some milliseconds), with time limits: one that went deaf cannot be kept.
    """
    sender = app()
    options = {
        "global_keyprefix": prefix_of(host),
        "ack_emulation": False,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "health_check_interval": 5,
    }
    try:
        with sender.connection_for_write(transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
            sender.send_task(
                wire.TASK_WAKE,
                kwargs={"run": run, "attempt": attempt},
                queue=wire.QUEUE,
                connection=connection,
                retry=False,
                ignore_result=True,
            )
    except (OSError, KombuError, RedisError) as error:
        log.warning("wake-up of %s not known to have arrived: %s", host, error)
        return False
    return True
