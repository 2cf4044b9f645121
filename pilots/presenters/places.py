"""Where a pilot may run: the hosts of the customer's own delivered orders, in words."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from common import formats
from pilots import guards
from pilots.models import Host, Project
from pilots.presenters.machine import machine_of_host
from rental.models import Order, OrderHost


@dataclass(frozen=True)
class Place:
    """`value` is what the form sends: the order's code and the host's name."""

    order: Order
    host: Host

    @property
    def value(self) -> str:
        return f"{self.order.code}:{self.host.name}"

    @property
    def words(self) -> str:
        return _("%(card)s, order %(code)s") % {"card": self.order.card.name, "code": self.order.code}

    @property
    def detail(self) -> str:
        ends = formats.when(self.order.ends_at) if self.order.ends_at else ""
        return _("%(machine)s, host %(host)s, until %(end)s") % {
            "machine": machine_of_host(self.host).words,
            "host": self.host.name,
            "end": ends,
        }


def of(user: Any) -> list[Place]:
    """Two queries: the delivered orders with their hosts, and those hosts."""
    hosts = {host.name: host for host in guards.hosts_for(user)}
    pairs = OrderHost.objects.select_related("order", "order__card").filter(
        order__customer=user, order__state=Order.State.DELIVERED, released_at__isnull=True, host_ref__in=hosts
    )
    return [Place(pair.order, hosts[pair.host_ref]) for pair in pairs.order_by("order__ends_at", "host_ref")]


def choices(places: list[Place]) -> list[tuple[str, str]]:
    return [(place.value, f"{place.words} ({place.detail})") for place in places]


def chosen(places: list[Place], value: str) -> Place | None:
    return next((place for place in places if place.value == value), None)


def title_of(project: Project) -> str:
    """A first proposal for the title: the archive's name without its endings."""
    name = project.name.rsplit("/", 1)[-1]
    for ending in (".zip", ".tgz", ".tar.gz", ".tar"):
        name = name.removesuffix(ending)
    return name.replace("_", " ").replace("-", " ").strip()[:120]
