"""One function a letter: what happened, what it means for the money, what comes next. Each is told once."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from billing import ledger
from billing.models import Receipt
from billing.networks import NETWORKS
from common.formats import coin, usd, when
from rental.letters.outbox import Page, told, write, write_page
from rental.models import Extension, Order
from rental.orders import rules
from rental.orders.bought import bought as in_words

__all__ = ["write"]

Rest = ParamSpec("Rest")


def letter(
    event: str,
) -> Callable[[Callable[Concatenate[Order, Rest], Page]], Callable[Concatenate[Order, Rest], bool]]:
    """Make of a function that gives a page one that writes the letter, in the customer's language.

    `event` names what is told once: `{code}` is the order's, `{0}` the next argument's key. The letter's function
    answers whether it was written now.
    """

    def wrap(page_of: Callable[Concatenate[Order, Rest], Page]) -> Callable[Concatenate[Order, Rest], bool]:
        @wraps(page_of)
        def inner(order: Order, /, *args: Rest.args, **kwargs: Rest.kwargs) -> bool:
            keys = [getattr(arg, "pk", arg) for arg in args]
            name = event.format(*keys, code=order.code, end=f"{order.ends_at:%Y%m%dT%H%M%S}" if order.ends_at else "")
            if told(name):  # seldom written now: most sweeps find nothing new, and rendering is dear
                return False
            with translation.override(order.customer.language):
                return write_page(name, order.customer, page_of(order, *args, **kwargs))

        return inner

    return wrap


def moment(at: datetime | None, order: Order) -> str:
    """An absolute time in UTC, and the reader's own beside it."""
    if at is None:
        return "—"
    zone = order.customer.time_zone
    return when(at) if zone == "UTC" else f"{when(at)} ({when(at, zone)})"


def bought(order: Order) -> list[tuple[str, str]]:
    """What an order holds, as rows of a letter."""
    words = in_words(order)
    return [
        (_("Order"), order.code),
        (_("Card"), words.card),
        (_("Lots"), words.lots_text),
        (_("Term"), words.term),
        (_("Preparation"), words.preparation),
        (_("Total"), usd(words.total_cents)),
    ]


def order_link(order: Order) -> tuple[str, str]:
    return _("Open the order"), f"/orders/{order.code}"


@letter("order:{code}:placed")
def order_placed(order: Order) -> Page:
    return Page(
        _("Order %(code)s is placed and waits for its payment") % {"code": order.code},
        [
            _("We wrote down your order. Nothing has been charged yet."),
            _("Its price and its cards are held until the time below. Pay by then, by crypto or from your balance."),
        ],
        [*bought(order), (_("Pay until"), moment(order.pay_until, order))],
        (_("Pay this order"), f"/orders/{order.code}/pay"),
    )


@letter("order:{code}:paid")
def order_paid(order: Order) -> Page:
    return Page(
        _("Order %(code)s is paid") % {"code": order.code},
        [
            _("The whole total was taken from your balance. The machine is not delivered yet."),
            _("We deliver by the time below. The term begins only when the machine is handed over to you."),
        ],
        [*bought(order), (_("Delivery promised by"), moment(order.promised_at, order))],
        order_link(order),
    )


@letter("order:{code}:delivered")
def order_delivered(order: Order) -> Page:
    return Page(
        _("Order %(code)s is delivered: its term has begun") % {"code": order.code},
        [
            _("The host showed the cards you bought, and we handed it over to you."),
            _("The access is on the page of the order. It is never sent by letter, and each reading is noted there."),
            _("At the end of the term the access is revoked. Copy what you need off the machine before."),
        ],
        [
            *bought(order),
            (_("Delivered"), moment(order.delivered_at, order)),
            (_("The term ends"), moment(order.ends_at, order)),
        ],
        order_link(order),
    )


@letter("order:{code}:overdue")
def order_overdue(order: Order) -> Page:
    return Page(
        _("Order %(code)s is late: we did not deliver as promised") % {"code": order.code},
        [
            _("Your order is paid and we have not delivered it by the time we promised. The fault is ours."),
            _("It stays first on our desk. Your term has not begun, and no hour of it is lost."),
            f"{rules.late_delivery()} {rules.being_prepared()}",
        ],
        [*bought(order), (_("Was promised by"), moment(order.promised_at, order))],
        order_link(order),
    )


@letter("order:{code}:ending:{0}:{end}")
def term_ending(order: Order, hours: int) -> Page:
    left = ngettext("%(hours)d hour", "%(hours)d hours", hours) % {"hours": hours}
    return Page(
        _("Order %(code)s ends in %(left)s or less") % {"code": order.code, "left": left},
        [
            _("At the time below the access is revoked and the machine is given back."),
            _("Copy what you need, download the evidence of your runs, or extend the term at the order's own price."),
            ngettext(
                "Evidence already copied stays for %(days)d day after the end.",
                "Evidence already copied stays for %(days)d days after the end.",
                settings.RETENTION_DAYS,
            )
            % {"days": settings.RETENTION_DAYS},
        ],
        [*bought(order), (_("The term ends"), moment(order.ends_at, order))],
        (_("Extend or export"), f"/orders/{order.code}"),
    )


@letter("order:{code}:extended:{0}")
def term_extended(order: Order, extension: Extension) -> Page:
    return Page(
        _("The term of order %(code)s is extended") % {"code": order.code},
        [_("The price below was taken from your balance. The access stays the same.")],
        [
            (_("Order"), order.code),
            (_("Price"), usd(extension.cents)),
            (_("The term ended before"), moment(extension.old_ends_at, order)),
            (_("The term ends"), moment(extension.new_ends_at, order)),
        ],
        order_link(order),
    )


@letter("order:{code}:ended")
def term_ended(order: Order) -> Page:
    return Page(
        _("The term of order %(code)s has ended") % {"code": order.code},
        [
            _("The access is revoked and the machine is given back."),
            ngettext(
                "The evidence of your runs can be downloaded for %(days)d more day.",
                "The evidence of your runs can be downloaded for %(days)d more days.",
                settings.RETENTION_DAYS,
            )
            % {"days": settings.RETENTION_DAYS},
        ],
        [*bought(order), (_("The term ended"), moment(order.ends_at, order))],
        order_link(order),
    )


@letter("order:{code}:cancelled")
def order_cancelled(order: Order) -> Page:
    return Page(
        _("Order %(code)s is cancelled") % {"code": order.code},
        [
            _("Your balance was not charged for this order."),
            _("Already sent something? It will be credited to your balance. Do not send again."),
        ],
        bought(order),
        (_("See your balance"), "/account/"),
    )


@letter("order:{code}:lapsed")
def order_lapsed(order: Order) -> Page:
    return Page(
        _("Order %(code)s lapsed: it was not paid in time") % {"code": order.code},
        [
            _("Your balance was not charged, and the cards are no longer held for you."),
            _("Already sent something? It will be credited to your balance. Do not send again."),
            _("You can place the order again; the price and the stock may have changed."),
        ],
        [*bought(order), (_("Payment was due by"), moment(order.pay_until, order))],
        (_("See your balance"), "/account/"),
    )


@letter("order:{code}:refunded")
def order_refunded(order: Order) -> Page:
    return Page(
        _("Order %(code)s is refunded to your balance") % {"code": order.code},
        [_("We could not deliver this order. Its whole total is back on your balance.")],
        bought(order),
        (_("See your balance"), "/account/"),
    )


@letter("order:{code}:receipt:{0}:seen")
def receipt_seen(order: Order, receipt: Receipt) -> Page:
    return Page(
        _("Money for order %(code)s is seen, not yet confirmed") % {"code": order.code},
        [
            _("The network shows the transfer below. It is not confirmed yet, and your balance has not changed."),
            _("There is nothing for you to do. Do not send again."),
        ],
        transfer(order, receipt),
        (_("Follow the payment"), f"/orders/{order.code}/pay"),
    )


@letter("order:{code}:receipt:{0}:confirmed")
def receipt_confirmed(order: Order, receipt: Receipt, arrived_cents: int) -> Page:
    """`arrived_cents`: everything credited so far from money that came for this order."""
    missing = order.total_cents - ledger.balance_of(order.customer).cents
    facts = [
        *transfer(order, receipt),
        (_("Credited to your balance"), usd(receipt.credited_cents)),
        (_("Arrived for this order so far"), usd(arrived_cents)),
    ]
    if order.state != Order.State.PLACED:
        after = _("The order is no longer waiting for money: see its page. What is left over is on your balance.")
    elif missing > 0:
        after = _("The order waits until your balance covers its total. The missing amount is below.")
        facts.append((_("Still missing"), usd(missing)))
    else:
        after = _("Your balance covers the order: pay it from your balance on its page.")
    return Page(
        _("Money for order %(code)s is confirmed") % {"code": order.code},
        [_("We confirmed the transfer below and credited it to your balance."), after],
        facts,
        order_link(order),
    )


def transfer(order: Order, receipt: Receipt) -> list[tuple[str, str]]:
    """A receipt's own facts, as rows of a letter."""
    amount = f"{coin(receipt.units, NETWORKS[receipt.network].asset(receipt.asset).decimals)} {receipt.asset}"
    return [
        (_("Order"), order.code),
        (_("Amount"), amount),
        (_("Transaction"), receipt.transaction),
        (_("Order total"), usd(order.total_cents)),
    ]
