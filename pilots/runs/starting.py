"""A run begins, is asked to stop, or goes on with what is missing."""

from pilots.models import Host, Pilot, Run
from rental.models import User


def start(pilot: Pilot, by: User, *, host: Host | None = None) -> Run:
    """The next try of a frozen pilot, queued for its host (or for `host`, of the same customer's orders)."""
    raise NotImplementedError


def cancel(run: Run, by: User) -> Run:
    """Ask for the end: a queued run ends at once, a claimed one when its host has stopped the program."""
    raise NotImplementedError


def resume(run: Run, by: User) -> Run:
    """A new try that finishes only the ids without a line in `run`."""
    raise NotImplementedError
