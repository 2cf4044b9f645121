"""What waits for an operator in the room of money, oldest first: read only."""

from django.db.models import Exists, OuterRef, QuerySet

from billing.models import AddressKey, PaidNotice, Receipt


def notices_without_receipt() -> QuerySet[PaidNotice]:
    """Customers who said they paid while nothing was seen yet."""
    seen = Receipt.objects.filter(request=OuterRef("request")).exclude(state=Receipt.State.REPLACED)
    return (
        PaidNotice.objects.filter(~Exists(seen))
        .exclude(request__state="covered")
        .select_related("request__customer", "request__address")
        .order_by("noted_at")
    )


def receipts_to_confirm() -> QuerySet[Receipt]:
    """Seen and not confirmed; `vouched_by` names the first operator where two are wanted."""
    return (
        Receipt.objects.filter(state=Receipt.State.SEEN)
        .select_related("request__customer", "vouched_by", "recorded_by")
        .order_by("seen_at")
    )


def receipts_of_nobody() -> QuerySet[Receipt]:
    """Money that no request explains: another asset, or an address that was given to nobody."""
    return Receipt.objects.exclude(problem="").select_related("request__customer").order_by("seen_at")


def keys_to_approve() -> QuerySet[AddressKey]:
    return (
        AddressKey.objects.filter(state=AddressKey.State.PROPOSED).select_related("proposed_by").order_by("proposed_at")
    )
