"""The states of an order in words: shape, word, what is so, who acts next by when, and what is not yet true."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common.formats import when

if TYPE_CHECKING:
    from rental.models import Order

# What of an order's money was noticed so far; decides the words of a placed order and nothing else.
WAITING, TOLD, SEEN = "waiting", "told", "seen"


@dataclass(frozen=True)
class Words:
    """One entry of the vocabulary; `following` may hold `%(until)s`, `%(promised)s`, `%(ends)s`."""

    kind: str
    word: Promise
    heading: Promise
    at_desk: Promise
    following: Promise
    not_yet: Promise | str = ""


@dataclass(frozen=True)
class State:
    """An order's state, filled with its own times, as pages and letters show it."""

    kind: str
    word: str
    heading: str
    at_desk: str
    following: str
    not_yet: str


VOCABULARY: dict[str, Words] = {
    "placed": Words(
        "told",
        _("placed, not paid"),
        _("Your order is placed. It is not paid yet."),
        _("It is placed, and not paid yet."),
        _("You pay by %(until)s. Nothing was charged so far."),
        _("No machine is being prepared yet: that begins when the order is paid in full."),
    ),
    "overdue": Words(
        "late",
        _("not paid in time"),
        _("The time to pay this order is over. We have seen no money for it."),
        _("The time to pay it is over, and no money was seen."),
        _("Already sent it? It will be credited, so do not send it again. Otherwise there is nothing to do."),
        _("It has not lapsed yet: money on its way may still arrive. Nothing was charged."),
    ),
    "told": Words(
        "told",
        _("told, not seen"),
        _("You told us you paid. We have not seen the money yet."),
        _("The customer told us they paid. Nobody has seen the money yet."),
        _("There is nothing more for you to do. Please do not send it again."),
        _("Your notice is not proof of payment and moves nothing by itself."),
    ),
    "seen": Words(
        "seen",
        _("seen, not paid"),
        _("Some money was seen for this order. It is not paid in full yet."),
        _("Some money was seen for it. It is not paid in full yet."),
        _("What is confirmed is in your balance. The order is paid as soon as the balance covers all of it."),
        _("No machine is being prepared yet: that begins when the order is paid in full."),
    ),
    "paid": Words(
        "confirmed",
        _("paid"),
        _("Your order is paid in full."),
        _("It is paid in full and waits for its machine."),
        _("An operator prepares your machine. Promised by %(promised)s."),
        _("No machine is yours yet, and your term has not begun: it begins when the machine is handed over."),
    ),
    "preparing": Words(
        "seen",
        _("being prepared"),
        _("An operator is preparing your machine."),
        _("It is being prepared."),
        _("Its own diagnostic must show the cards you bought. Promised by %(promised)s."),
        _("No machine is yours yet, and your term has not begun: it begins when the machine is handed over."),
    ),
    "late": Words(
        "late",
        _("paid, delivery late"),
        _("Your order is paid. Its delivery is late."),
        _("It is paid, and its delivery is late."),
        _("It was promised by %(promised)s. An operator must act, and sees this order marked as late."),
        _("No machine is yours yet, and your term has not begun. None of its hours are lost."),
    ),
    "delivered": Words(
        "confirmed",
        _("delivered"),
        _("Your machine was handed over."),
        _("It was handed over, and its term runs."),
        _("Your term runs until %(ends)s. Reveal the access, then start a pilot."),
        _("Its own diagnostic showed what you ordered. Whether your program works on it, only a pilot can show."),
    ),
    "ended": Words(
        "confirmed",
        _("paid, ended"),
        _("The term of this order has ended."),
        _("Its term has ended."),
        _("It ended on %(ends)s and its access was revoked. Results and evidence stay with your pilots."),
    ),
    "cancelled": Words(
        "stopped",
        _("cancelled"),
        _("This order was cancelled before it was paid."),
        _("It was cancelled before it was paid."),
        _("Nothing was charged. Money that still arrives for it is credited to your balance."),
    ),
    "lapsed": Words(
        "stopped",
        _("lapsed"),
        _("This order was not paid in time and has lapsed."),
        _("It was not paid in time and has lapsed."),
        _("Nothing was charged. Money already sent is credited to your balance: please do not send it again."),
    ),
    "refunded": Words(
        "stopped",
        _("refunded to balance"),
        _("This order was refunded."),
        _("It was refunded to the balance."),
        _("Its whole price is back in your balance, and no machine will be delivered for it."),
    ),
}


def state_key(order: "Order", now: datetime, money: str = WAITING) -> str:
    """Which entry describes this order now."""
    state = str(order.state)
    if state == "placed":
        late = order.pay_until <= now
        return SEEN if money == SEEN else "overdue" if late else TOLD if money == TOLD else "placed"
    if state in ("paid", "preparing") and order.promised_at and order.promised_at < now:
        return "late"
    return state


def describe(order: "Order", now: datetime, money: str = WAITING) -> State:
    """The order's state in the reader's language, with its own dates in it."""
    words = VOCABULARY[state_key(order, now, money)]
    facts = {
        "until": _moment(order.pay_until),
        "promised": _moment(order.promised_at),
        "ends": _moment(order.ends_at),
    }
    return State(
        kind=words.kind,
        word=str(words.word),
        heading=str(words.heading),
        at_desk=str(words.at_desk),
        following=str(words.following) % facts,
        not_yet=str(words.not_yet),
    )


def _moment(moment: datetime | None) -> str:
    return when(moment) if moment else "–"
