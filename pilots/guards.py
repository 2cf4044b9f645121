"""The only doors to a customer's pilots: what is not theirs does not exist for them."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from pilots.models import Decision, Evidence, Host, Pilot, Project, Reread, Run
from rental.models import Order, OrderHost, User


def known(user: Any) -> User:
    """The signed-in person, or nothing to be found."""
    if isinstance(user, AnonymousUser) or not user.is_active:
        raise Http404
    return user  # type: ignore[no-any-return]


def project_for(user: Any, ref: str) -> Project:
    return get_object_or_404(Project, customer=known(user), ref=ref)


def pilot_for(user: Any, ref: str) -> Pilot:
    # The canonical text of a spec names every input: it may be long, and no page needs it.
    rows = Pilot.objects.select_related("host", "order", "project", "spec", "previous").defer("spec__canonical")
    return get_object_or_404(rows, customer=known(user), ref=ref)


def run_for(user: Any, ref: str) -> Run:
    rows = Run.objects.select_related("pilot", "host", "pilot__order", "pilot__spec").defer("pilot__spec__canonical")
    return get_object_or_404(rows, pilot__customer=known(user), ref=ref)


def evidence_for(user: Any, ref: str, number: int | None = None) -> Evidence:
    """The evidence of a run: the one asked for, or the newest."""
    rows = Evidence.objects.select_related("run", "run__pilot").filter(run__pilot__customer=known(user), run__ref=ref)
    row = rows.filter(number=number).first() if number else rows.first()
    if row is None:
        raise Http404
    return row


def pilots_of(user: Any) -> QuerySet[Pilot]:
    return Pilot.objects.select_related("host", "order").filter(customer=known(user)).order_by("-pk")


def hosts_for(user: Any) -> QuerySet[Host]:
    """The hosts of this customer's own delivered orders: the only ones their pilots may use."""
    names = OrderHost.objects.filter(
        order__customer=known(user), order__state=Order.State.DELIVERED, released_at__isnull=True
    ).values("host_ref")
    return Host.objects.filter(name__in=names, revoked_at__isnull=True).order_by("name")


def decision_for(user: Any, pk: int) -> Decision:
    rows = Decision.objects.select_related("pilot", "pilot__order", "evidence", "by")
    return get_object_or_404(rows, pilot__customer=known(user), pk=pk)


def reread_for(user: Any, pk: int) -> Reread:
    rows = Reread.objects.select_related("evidence__run__pilot")
    return get_object_or_404(rows, evidence__run__pilot__customer=known(user), pk=pk)
