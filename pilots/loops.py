"""A process that does the same small thing again and again until it is asked to stop."""

import logging
import signal
import threading
import time
from collections.abc import Callable

from django.db import close_old_connections, connection

log = logging.getLogger(__name__)


def run_until_stopped(turn: Callable[[], object], every: float) -> None:
    """Call `turn` every so many seconds; a failure is logged and waits a little longer. Ends on TERM or Ctrl-C."""
    stop = threading.Event()
    for asked in (signal.SIGTERM, signal.SIGINT):
        signal.signal(asked, lambda _number, _frame: stop.set())
    failures = 0
    while not stop.is_set():
        started = time.monotonic()
        close_old_connections()
        try:
            turn()
            failures = 0
        except Exception:
            log.exception("this turn failed; the next one follows")
            connection.close()
            failures = min(failures + 1, 6)
        stop.wait(max(0.0, every - (time.monotonic() - started)) + (2**failures - 1) * 0.5)
