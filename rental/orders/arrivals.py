"""What billing's receipts say of an order's money: read and told here, never changed."""

from datetime import datetime, timedelta

from django.db.models import Q, QuerySet, Sum

from billing.models import Receipt
from rental.letters import emails
from rental.models import Letter, Order, User

# A receipt older than this is not told any more: whoever was to hear of it has.
TOLD_WITHIN = timedelta(days=3)


def credited_cents(code: str) -> int:
    """Cents credited to the balance from money that came for this order, or for one whose place it took."""
    total = Receipt.objects.filter(request__reference__in=codes_of(code)).aggregate(total=Sum("credited_cents"))[
        "total"
    ]
    return int(total or 0)


def codes_of(code: str) -> list[str]:
    """The order's code and those of the orders whose place it took, the newest first."""
    codes: list[str] = []
    next_code: str | None = code
    while next_code is not None and next_code not in codes:
        codes.append(next_code)
        next_code = Order.objects.filter(code=next_code).values_list("replaces__code", flat=True).first()
    return codes


def waiting_orders() -> "QuerySet[Order]":
    """Orders that wait for their payment although money for them, or for what they replaced, was credited."""
    credited = Receipt.objects.filter(credited_cents__gt=0, request__isnull=False).values("request__reference")
    waiting = Order.objects.waiting_for_money()
    changed = waiting.exclude(replaces=None).values_list("code", flat=True)
    heirs = [code for code in changed if credited_cents(code)]
    return waiting.filter(Q(code__in=credited) | Q(code__in=heirs)).select_related("customer")


def waits_for_confirmation(code: str) -> bool:
    """Whether the network shows money for this order, or for what it replaced, that is not yet confirmed."""
    return Receipt.objects.filter(request__reference__in=codes_of(code), state=Receipt.State.SEEN).exists()


def of_customer(customer: User) -> "QuerySet[Receipt]":
    return Receipt.objects.filter(request__customer=customer)


def of_late(now: datetime) -> "QuerySet[Receipt]":
    return Receipt.objects.filter(seen_at__gt=now - TOLD_WITHIN) | Receipt.objects.filter(
        confirmed_at__gt=now - TOLD_WITHIN
    )


def tell(receipts: "QuerySet[Receipt]") -> int:
    """Write the letters of these receipts that are not written yet; how many were."""
    count = 0
    for receipt in _untold(receipts):
        request = receipt.request
        if request is None:
            continue
        mine = Order.objects.filter(code=request.reference, customer=request.customer_id)
        order = mine.select_related("card", "customer").first()
        if order is None:
            continue
        if receipt.state == Receipt.State.SEEN:
            count += emails.receipt_seen(order, receipt)
        elif receipt.state == Receipt.State.CONFIRMED:
            count += emails.receipt_confirmed(order, receipt, credited_cents(order.code))
    return count


def _untold(receipts: "QuerySet[Receipt]") -> list[Receipt]:
    """Those without a letter for the state they are in, found with two queries however many there are."""
    wanted = (Receipt.State.SEEN, Receipt.State.CONFIRMED)
    rows = receipts.filter(request__isnull=False, problem="", state__in=wanted).select_related("request")
    events = {_event(row): row for row in rows.order_by("pk")}
    known = set(Letter.objects.filter(event__in=events).values_list("event", flat=True))
    return [row for event, row in events.items() if event not in known]


def _event(receipt: Receipt) -> str:
    """The event under which `emails` tells of this receipt in its state."""
    code = receipt.request.reference if receipt.request else ""
    return f"order:{code}:receipt:{receipt.pk}:{receipt.state}"
