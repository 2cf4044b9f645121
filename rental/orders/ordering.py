"""Orders: place, pay, let lapse. Giving one up is in `cancelling`, delivery and the term in `delivery` and `terms`."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import ledger, payments
from billing.models import PaymentRequest
from common.refusals import Refusal
from rental.catalogue import stock
from rental.letters import emails, given_up
from rental.models import MoveCode, Order, OrderMove, Quote, User
from rental.orders import arrivals
from rental.orders.cancelling import cancel, give_up, refund
from rental.orders.moves import lock, move, wrong_state
from rental.orders.quoting import claim, is_id, quote, release
from rental.orders.terms import end_due, extend

__all__ = [
    "ask_payment",
    "cancel",
    "claim",
    "end_due",
    "extend",
    "lapse_due",
    "pay_from_balance",
    "pay_if_covered",
    "pay_waiting",
    "place",
    "quote",
    "refund",
    "release",
]

# How long money that the network shows, and that waits for its confirmations, keeps an order past its deadline.
CONFIRMATION_GRACE = timedelta(hours=24)


def place(customer: User, quote_id: str, *, form_id: str | None = None, seen_total_cents: int | None = None) -> Order:
    """Turn a quote into an order. The same form, or the same quote again, answers the same order.

    Args:
        form_id: names the form on the page; posted twenty times it still gives one order.
        seen_total_cents: the total the customer was shown, if the caller knows it.

    Raises:
        Refusal: `quote_not_found` (404), `quote_expired`, `total_changed`, `too_many_unpaid_orders`; `wrong_state`
            when the order that the quote changes is no longer unpaid.
    """
    form_id = (form_id or "").replace("\0", "")[:64]
    known = _already_placed(customer, quote_id, form_id)
    if known is not None:
        return known
    try:
        with transaction.atomic():
            held = claim(customer, quote_id)
            if held.changes is not None:
                return _change(held.changes, held, customer, form_id, seen_total_cents)
            return _place(customer, held, form_id, seen_total_cents)
    except IntegrityError:
        # The same post was a moment faster on another connection: its order is this one's answer.
        known = _already_placed(customer, quote_id, form_id)
        if known is None:
            raise
        return known


def _already_placed(customer: User, quote_id: str, form_id: str) -> Order | None:
    orders = Order.objects.select_related("card", "customer").filter(customer=customer)
    by_form = orders.filter(form_id=form_id).first() if form_id else None
    return by_form or (orders.filter(quote_id=quote_id).first() if is_id(quote_id) else None)


def _change(old: Order, held: Quote, customer: User, form_id: str, seen_total_cents: int | None) -> Order:
    """Place the quote's order in the place of an unpaid one: both happen, or neither."""
    old = lock(old)
    known = _already_placed(customer, held.pk, form_id)
    if known is not None:
        return known
    give_up(old, MoveCode.REPLACED, timezone.now(), customer)
    order = _place(customer, held, form_id, seen_total_cents, replaces=old)
    # What came for the old one is on the balance: it pays the new one as soon as both are written.
    if arrivals.credited_cents(order.code):
        transaction.on_commit(lambda: pay_waiting(customer, only=order))
    return order


def _place(
    customer: User, held: Quote, form_id: str, seen_total_cents: int | None, replaces: Order | None = None
) -> Order:
    # The card's lock comes before the look at the clock: a quote that ends while we wait is over.
    stock.lock(held.card)
    now = timezone.now()
    known = _already_placed(customer, held.pk, form_id)
    if known is not None:
        return known
    if held.released_at is not None or held.expires_at <= now:
        raise Refusal("quote_expired", _("This quote is over. Choose again: the price and the stock may have changed."))
    if seen_total_cents is not None and seen_total_cents != held.total_cents:
        sentence = _("The total is not the one you were shown. Check the order again; nothing was placed.")
        raise Refusal("total_changed", sentence, data={"total_cents": held.total_cents})
    if Order.objects.waiting_for_money().filter(customer=customer).count() >= settings.UNPAID_ORDERS:
        sentence = _("You have as many unpaid orders as one account may. Pay or cancel one first.")
        raise Refusal("too_many_unpaid_orders", sentence)
    order = Order.objects.create(
        customer=customer,
        quote=held,
        form_id=form_id,
        card=held.card,
        days=held.days,
        lots=held.lots,
        cards=held.cards,
        preparation=held.preparation,
        preparation_note=held.preparation_note,
        unit_price_cents=held.unit_price_cents,
        total_cents=held.total_cents,
        placed_at=now,
        pay_until=now + timedelta(minutes=settings.PAYMENT_MINUTES),
        replaces=replaces,
    )
    OrderMove.objects.create(order=order, old="", new=order.state, actor=customer, at=now, code=MoveCode.PLACED)
    if replaces is None:
        emails.order_placed(order)
    else:
        given_up.replaced(replaces, order)
    return order


def ask_payment(order: Order, *, network: str, asset: str) -> PaymentRequest:
    """What to send for this order in `asset` on `network`, by the order's own deadline.

    Raises:
        Refusal: `wrong_state` unless the order waits for its payment; `deadline_passed`; billing's own refusals.
    """
    with transaction.atomic():
        order = lock(order)
        if order.state != Order.State.PLACED:
            raise wrong_state(order)
        if order.pay_until <= timezone.now():
            sentence = _("The payment deadline has passed. What you already sent is credited; do not send again.")
            raise Refusal("deadline_passed", sentence)
        return payments.ask(
            order.customer,
            reference=order.code,
            amount_cents=order.total_cents,
            network=network,
            asset=asset,
            until=order.pay_until,
        )


def pay_from_balance(order: Order, by: User) -> Order:
    """Pay the whole order from its customer's balance. Pressed twice, it is charged once.

    Raises:
        Refusal: `insufficient_balance` with both figures; `wrong_state` for an order that is over.
    """
    with transaction.atomic():
        order = lock(order)
        if order.paid_at is not None and order.is_live:
            return order
        if order.state != Order.State.PLACED:
            raise wrong_state(order)
        return _pay(order, MoveCode.PAID_FROM_BALANCE, by)


def pay_if_covered(order: Order) -> bool:
    """Pay a waiting order in full when its customer's balance covers it; true when it was paid now."""
    with transaction.atomic():
        order = lock(order)
        if order.state != Order.State.PLACED:
            return False
        if ledger.balance_of(order.customer).cents < order.total_cents:
            return False
        try:
            with transaction.atomic():
                _pay(order, MoveCode.PAID_ON_CREDIT, None)
        except Refusal:
            # The balance was spent elsewhere since we looked: the order goes on waiting.
            return False
        return True


def _pay(order: Order, code: MoveCode, by: User | None) -> Order:
    now = timezone.now()
    # Requests are locked before the customer's account, as a receipt does: never the other way round.
    payments.close(order.code)
    ledger.charge(order.customer, order.total_cents, key=f"order:{order.code}:pay", reference=order.code, by=by)
    promised_at = now + timedelta(hours=settings.DELIVERY_HOURS)
    move(order, Order.State.PAID, code=code, at=now, by=by, paid_at=now, promised_at=promised_at)
    emails.order_paid(order)
    return order


def pay_waiting(customer: User, *, only: Order | None = None) -> list[Order]:
    """Pay the customer's waiting orders that the balance covers, the oldest first.

    An order whose own money has all arrived comes before the others, and money that arrived for an order
    it does not yet cover stays for that order: a younger one is never paid with it.
    """
    waiting = list(Order.objects.waiting_for_money().filter(customer=customer).order_by("pk"))
    arrived = {order.pk: arrivals.credited_cents(order.code) for order in waiting}
    waiting.sort(key=lambda order: (arrived[order.pk] < order.total_cents, order.pk))
    kept, paid = 0, []
    for order in waiting:
        covered = ledger.balance_of(customer).cents - kept >= order.total_cents
        if covered and only in (None, order) and pay_if_covered(order):
            paid.append(order)
        else:
            kept += min(arrived[order.pk], order.total_cents)
    return paid


def lapse_due(now: datetime) -> int:
    """Let go the orders whose payment deadline has passed; how many were.

    An address that was given may still be paid by somebody slow, so its order stays `LAPSE_GRACE_MINUTES` longer;
    money that waits for confirmations keeps its order for a day. A paid notice keeps nothing: it is only a word.
    """
    due = Order.objects.waiting_for_money().filter(pay_until__lte=now).order_by("pk")
    count = 0
    for order in due.select_related("card", "customer"):
        if now < _kept_until(order):
            continue
        try:
            with transaction.atomic():
                move(order, Order.State.LAPSED, code=MoveCode.DEADLINE_PASSED, at=now)
                payments.close(order.code)
                emails.order_lapsed(order)
        except Refusal:
            continue  # paid or cancelled a moment before
        count += 1
    return count


def _kept_until(order: Order) -> datetime:
    if arrivals.waits_for_confirmation(order.code):
        return order.pay_until + CONFIRMATION_GRACE
    if any(payments.requests_for(code).exists() for code in arrivals.codes_of(order.code)):
        return order.pay_until + timedelta(minutes=settings.LAPSE_GRACE_MINUTES)
    return order.pay_until
