"""What is known about a payment, line by line, each with who says it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _

from billing.models import PaidNotice, PaymentRequest, PaymentRequestMove, Rate, Receipt
from billing.networks import NETWORKS
from common.formats import coin, number, usd


@dataclass(frozen=True)
class Line:
    """A line of a trail: `source` is one of the template tag's (`you`, `net`, `we`, `confirmed`)."""

    source: str
    at: datetime
    text: str
    small: str = ""


def trail(
    request: PaymentRequest,
    notice: PaidNotice | None,
    receipts: Iterable[Receipt],
    moves: Iterable[PaymentRequestMove],
    more: Iterable[Line] = (),
) -> list[Line]:
    """All lines, newest first. `more` are lines of those who know the order."""
    asset = NETWORKS[request.network].asset(request.asset)
    asked = _("Payment request for %(amount)s, with an address that serves no other order.") % {
        "amount": f"{coin(request.due_units, asset.decimals)} {asset.code}"
    }
    lines = [Line("we", request.created_at, asked), *more]
    if notice is not None:
        lines += _told(notice)
    for receipt in receipts:
        lines += _arrived(receipt, request)
    lines += [Line("we", move.at, _closed(move.code)) for move in moves if move.new == PaymentRequest.State.CLOSED]
    return sorted(lines, key=lambda line: line.at, reverse=True)


def money(receipt: Receipt) -> str:
    """What arrived, e.g. `0.014249 BTC`: the same in every language."""
    decimals = NETWORKS[receipt.network].asset(receipt.asset).decimals
    return f"{coin(receipt.units, decimals)} {receipt.asset}"


def rate_text(rate: Rate) -> str:
    """`1 BTC = 91,240.50 USD` in the reader's format, every digit of it."""
    digits = 2 if rate.micro_usd % 10_000 == 0 else 6
    return f"1 {rate.asset} = {number(Decimal(rate.micro_usd) / 1_000_000, digits)} USD"


def _told(notice: PaidNotice) -> list[Line]:
    claim, later = notice.transaction, notice.transaction_at
    if claim and later is not None and later > notice.noted_at:
        return [
            Line("you", notice.noted_at, _("“I paid”, without a transaction id.")),
            Line("you", later, _("Transaction id added to the notice:"), claim),
        ]
    if claim:
        return [Line("you", notice.noted_at, _("“I paid”, with this transaction id:"), claim)]
    return [Line("you", notice.noted_at, _("“I paid”, without a transaction id."))]


def _arrived(receipt: Receipt, request: PaymentRequest) -> list[Line]:
    amount, network = money(receipt), NETWORKS[receipt.network].name
    by_hand = receipt.recorded_by_id is not None
    seen = _("%(amount)s seen at this address.") % {"amount": amount}
    if by_hand:
        seen = _("An operator saw %(amount)s at this address on %(network)s.") % {"amount": amount, "network": network}
    lines = [Line("we" if by_hand else "net", receipt.seen_at, seen, receipt.transaction)]
    if receipt.problem:
        text = _(
            "It is not the asset asked for, so it is not credited by itself. An operator decides and writes to you."
        )
        lines.append(Line("we", receipt.seen_at, text))
    elif receipt.state == Receipt.State.CONFIRMED and receipt.confirmed_at is not None:
        text = _("%(amount)s confirmed and %(usd)s credited to your balance.") % {
            "amount": amount,
            "usd": usd(receipt.credited_cents),
        }
        small = ""
        if receipt.late and receipt.rate is not None:
            small = _("It came late: counted at %(now)s, the rate then; the request's was %(before)s.") % {
                "now": rate_text(receipt.rate),
                "before": rate_text(request.rate),
            }
        lines.append(Line("confirmed", receipt.confirmed_at, text, small))
    elif receipt.state == Receipt.State.REPLACED:
        dropped = [move.at for move in receipt.moves.all() if move.new == Receipt.State.REPLACED]
        text = _("The network no longer holds this transaction: %(amount)s counts no more.") % {"amount": amount}
        lines.append(Line("net", max(dropped, default=receipt.seen_at), text, receipt.transaction))
    elif receipt.vouched_at is not None:
        text = _("Checked by one operator; a sum like this waits for a second one.")
        lines.append(Line("we", receipt.vouched_at, text))
    return lines


def _closed(code: str) -> str:
    if code == "asked_again":
        return _("This request ended; another one with its own address took its place.")
    return _("No longer asked for. The address stays yours: what still arrives is credited.")
