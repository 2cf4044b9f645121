"""A pilot is drafted and frozen: from then on its spec never changes."""

from pilots.models import Host, Pilot, Project
from rental.models import Order, User


def create(
    customer: User,
    *,
    title: str,
    project: Project | None = None,
    order: Order | None = None,
    host: Host | None = None,
    previous: Pilot | None = None,
) -> Pilot:
    """A pilot; frozen at once when it has a project without errors, a draft otherwise."""
    raise NotImplementedError


def attach(pilot: Pilot, project: Project) -> Pilot:
    """Give a draft its project, which freezes it."""
    raise NotImplementedError


def place(pilot: Pilot, *, order: Order | None = None, host: Host | None = None) -> Pilot:
    """Say where its runs go: a host of one of the customer's delivered orders."""
    raise NotImplementedError
