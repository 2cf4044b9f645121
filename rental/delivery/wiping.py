"""Wiping: a machine that served an order alone serves nobody else before its wiping is written down."""

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.letters import care
from rental.models import OrderHost, User, Wipe


def waiting() -> "QuerySet[OrderHost]":
    """Hosts that were given back and not wiped, the longest wait first. Shared machines hold nobody's data alone."""
    return OrderHost.objects.filter(exclusive=True, released_at__isnull=False, wipe=None).order_by("released_at", "pk")


def record(host: OrderHost, by: User, *, method: str, note: str = "") -> Wipe:
    """Write down that the host was wiped after its order; told to the order's customer once.

    Raises:
        Refusal: `unknown_method` (422), `still_serving`; wiped twice, the first record stays and is answered.
    """
    if method not in Wipe.Method.values:
        raise Refusal("unknown_method", _("Choose how it was wiped."), status=422, field="method")
    if host.released_at is None:
        raise Refusal("still_serving", _("This host still serves its order. It is wiped after the end."))
    try:
        with transaction.atomic():
            row = Wipe.objects.create(host=host, method=method, note=note.strip()[:300], by=by)
            care.host_wiped(host.order, row)
            return row
    except IntegrityError:
        return Wipe.objects.get(host=host)
