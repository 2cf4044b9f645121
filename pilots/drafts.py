"""A pilot is drafted and frozen: from then on its spec never changes."""

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import guards
from pilots.models import Declared, Host, Pilot, Project, Spec
from pilots.projects import manifest_of
from pilots.spec import config as spec_config
from pilots.spec import frozen
from pilots.spec.manifest import clean_id
from rental.models import Order, OrderHost, User

BATCH = 5_000


def create(
    customer: User,
    *,
    title: str,
    project: Project | None = None,
    order: Order | None = None,
    host: Host | None = None,
    previous: Pilot | None = None,
) -> Pilot:
    """A pilot; frozen at once when it has a project without errors, a draft while it has none.

    Raises:
        Refusal: `title_missing`; `project_has_errors`; `order_not_delivered`, `host_not_yours` (as in `place`).
    """
    title = " ".join(title.split())
    if not title or len(title) > 120:
        raise Refusal(
            "title_missing", _("Give the pilot a title of at most 120 characters."), status=422, field="title"
        )
    with transaction.atomic():
        pilot = Pilot(customer=customer, title=title, previous=previous)
        if previous is not None:
            pilot.version = previous.version + 1
        if order is not None or host is not None:
            pilot.order, pilot.host = where(customer, order, host)
        pilot.save()
        return attach(pilot, project) if project is not None else pilot


def attach(pilot: Pilot, project: Project) -> Pilot:
    """Give a draft its project, which freezes it.

    Raises:
        Refusal: `already_frozen`; `project_has_errors` with the first one's place.
    """
    if not project.can_be_frozen:
        first = project.errors[0] if project.errors else {"path": "", "line": None, "message": ""}
        raise Refusal(
            "project_has_errors",
            _("The project's preflight found something that must be mended first: see its report."),
            field="project",
            data={"path": first["path"], "line": first["line"], "message": first["message"]},
        )
    with transaction.atomic():
        spec = _freeze(project)
        now = timezone.now()
        moved = Pilot.objects.filter(pk=pilot.pk, state=Pilot.State.DRAFT).update(
            state=Pilot.State.FROZEN, spec=spec, project=project, frozen_at=now
        )
        if not moved:
            raise Refusal("already_frozen", _("This pilot is frozen. Make a new version of it to change anything."))
    pilot.refresh_from_db()
    return pilot


def place(pilot: Pilot, *, order: Order | None = None, host: Host | None = None) -> Pilot:
    """Say where its next runs go: a host of one of the customer's delivered orders."""
    pilot.order, pilot.host = where(pilot.customer, order, host)
    pilot.save(update_fields=["order", "host"])
    return pilot


def where(customer: User, order: Order | None, host: Host | None) -> tuple[Order, Host]:
    """The order and the host that a run may use.

    Raises:
        Refusal: `order_not_delivered` while the order has no host; `host_not_yours` for any other host.
    """
    served = OrderHost.objects.filter(
        order__customer=customer, order__state=Order.State.DELIVERED, released_at__isnull=True
    ).select_related("order")
    if order is not None:
        served = served.filter(order=order)
    if host is not None:
        served = served.filter(host_ref=host.name)
    hosts = {row.name: row for row in guards.hosts_for(customer)}
    for row in served.order_by("-order__delivered_at", "pk"):
        if row.host_ref in hosts:
            return row.order, hosts[row.host_ref]
    if host is not None:
        raise Refusal("host_not_yours", _("No order of yours that is being served has this host."), field="host")
    raise Refusal(
        "order_not_delivered",
        _("This order has no host to run on: it is not delivered yet, or its term is over."),
        field="order",
    )


def _freeze(project: Project) -> Spec:
    """The project's spec, written once: the same project gives the same row."""
    config = spec_config.from_dict(project.config or {})
    manifest = manifest_of(project)
    canonical = frozen.canonical(frozen.freeze(config, manifest, project.sha256))
    sha256 = hashlib.sha256(canonical).hexdigest()
    spec, made = Spec.objects.get_or_create(
        sha256=sha256,
        defaults={"canonical": canonical.decode(), "config": dict(config.raw), "declared": len(manifest)},
    )
    if made:
        rows = _inputs(spec, config, manifest, project.expected or {})
        while some := list(islice(rows, BATCH)):
            Declared.objects.bulk_create(some)
    return spec


def _inputs(
    spec: Spec, config: spec_config.Config, manifest: list[Any], expected: dict[str, str]
) -> Iterator[Declared]:
    must_refuse = {clean_id(identity) for identity in config.criteria.must_refuse}
    answers = {clean_id(identity): clean_id(answer) for identity, answer in expected.items()}
    for position, item in enumerate(manifest):
        yield Declared(
            spec=spec,
            position=position,
            item_id=item["id"],
            path=item["path"],
            size=item["size"],
            sha256=item["sha256"],
            must_refuse=item["id"] in must_refuse,
            expected=answers.get(item["id"], ""),
        )
