"""The one way an order changes its state: compare and set, and a row that says who, when and why."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.models import MoveCode, Order, OrderMove, User

# What an order in this state tells somebody who asks for a move it does not allow.
SENTENCES: dict[str, Any] = {
    Order.State.PLACED: _("This order waits for its payment. Pay it first."),
    Order.State.PAID: _("This order is paid and waits for its preparation. Nothing was changed."),
    Order.State.PREPARING: _("This order is being prepared. Nothing was changed."),
    Order.State.DELIVERED: _("This order is delivered and its term runs. Nothing was changed."),
    Order.State.ENDED: _("The term of this order has ended. Place a new order."),
    Order.State.CANCELLED: _("This order was cancelled. Place a new order; your balance was not charged."),
    Order.State.LAPSED: _("This order lapsed unpaid. Place a new order; your balance was not charged."),
    Order.State.REFUNDED: _("This order was refunded to the balance. Place a new order."),
}


def wrong_state(order: Order) -> Refusal:
    """The refusal of an act that the order's state does not allow."""
    return Refusal("wrong_state", SENTENCES[order.state], data={"state": str(order.state)})


def lock(order: Order) -> Order:
    """The order's row as it is now, locked until the transaction ends."""
    return Order.objects.select_for_update(of=("self",)).select_related("card", "customer").get(pk=order.pk)


def move(
    order: Order, new: str, *, code: MoveCode, at: datetime, by: User | None = None, note: str = "", **fields: Any
) -> None:
    """Move the order or raise; in the caller's transaction. `fields` are set in the same write.

    Raises:
        Refusal: `wrong_state` when the table does not allow the move, or another move was first.
    """
    old = order.state
    if new not in Order.MOVES[old]:
        raise wrong_state(order)
    hit = Order.objects.filter(pk=order.pk, state=old).update(state=new, **fields)
    if not hit:
        order.refresh_from_db()
        raise wrong_state(order)
    for name, value in {"state": new, **fields}.items():
        setattr(order, name, value)
    OrderMove.objects.create(order=order, old=old, new=new, actor=by, at=at, code=code, note=note)
