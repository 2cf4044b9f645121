"""The term of a delivered order: its end to the second, its extension, and the letters before it."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import ledger
from common.refusals import Refusal
from rental.catalogue import stock
from rental.letters import emails
from rental.models import Access, Card, Extension, MoveCode, Order, OrderHost, OrderMove, User
from rental.orders.moves import lock, move, wrong_state

# Hours before the end at which a letter tells of it.
REMINDERS = (72, 24, 1)


def extend(order: Order, by: User, *, seen_ends_at: datetime | None = None) -> Order:
    """Add the order's own term at the order's own price, charged to the balance.

    Args:
        seen_ends_at: the end the customer saw when asking. When it is no longer the end, the same
            request was already done: nothing is charged again.

    Raises:
        Refusal: `wrong_state`, `term_over`, `no_stock`, `insufficient_balance`.
    """
    try:
        with transaction.atomic():
            order = lock(order)
            if seen_ends_at is not None and order.ends_at is not None and order.ends_at != seen_ends_at:
                return order
            return _extend(order, by, timezone.now())
    except IntegrityError:
        order.refresh_from_db()
        return order


def _extend(order: Order, by: User, now: datetime) -> Order:
    if order.state != Order.State.DELIVERED or order.ends_at is None:
        raise wrong_state(order)
    if order.ends_at <= now:
        raise Refusal("term_over", _("The term of this order is over. Place a new order."))
    card = stock.lock(order.card)
    if is_withdrawn(card, now):
        raise Refusal("no_stock", _("This card is no longer in stock. The term stays as it is; nothing was charged."))
    row = Extension.objects.create(
        order=order,
        days=order.days,
        cents=order.total_cents,
        old_ends_at=order.ends_at,
        new_ends_at=order.ends_at + order.term,
        at=now,
        by=by,
    )
    ledger.charge(order.customer, row.cents, key=row.key, reference=order.code, by=by)
    Order.objects.filter(pk=order.pk, state=Order.State.DELIVERED).update(ends_at=row.new_ends_at)
    order.ends_at = row.new_ends_at
    state = order.state
    OrderMove.objects.create(order=order, old=state, new=state, actor=by, at=now, code=MoveCode.EXTENDED)
    emails.term_extended(order, row)
    return order


def is_withdrawn(card: Card, now: datetime) -> bool:
    """Whether the operator took the card, or rented lots of it, out of stock: a live order holds its lots already."""
    return not card.on_sale or stock.free_lots(card, now) < 0


def end_due(now: datetime) -> int:
    """End the terms that are over at `now`: access revoked, hosts released; how many were."""
    due = Order.objects.filter(state=Order.State.DELIVERED, ends_at__lte=now).order_by("pk")
    count = 0
    for row in due:
        with transaction.atomic():
            order = lock(row)
            if order.state != Order.State.DELIVERED or order.ends_at is None or order.ends_at > now:
                continue  # extended or ended a moment before
            move(order, Order.State.ENDED, code=MoveCode.TERM_ENDED, at=now, ended_at=now)
            Access.objects.filter(order=order, revoked_at=None).update(revoked_at=now, sealed=b"")
            OrderHost.objects.filter(order=order, released_at=None).update(released_at=now)
            emails.term_ended(order)
        count += 1
    return count


def remind_due(now: datetime) -> int:
    """Write the letters at 72, 24 and 1 hour before an end; after a pause only the nearest one is written."""
    last = now + timedelta(hours=max(REMINDERS))
    soon = Order.objects.filter(state=Order.State.DELIVERED, ends_at__gt=now, ends_at__lte=last)
    count = 0
    for order in soon.select_related("card", "customer"):
        if order.ends_at is None or order.delivered_at is None:
            continue
        hours = min(h for h in REMINDERS if order.ends_at - now <= timedelta(hours=h))
        # A term as long as the reminder's distance would be reminded at its own beginning.
        if order.term_began and order.ends_at - timedelta(hours=hours) > order.term_began:
            count += emails.term_ending(order, hours)
    return count
