"""Everything the payment page shows: the facts, each with its source, and what may still be sent."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from billing import rates, receiving
from billing.amounts import due_units, typeable, units_of
from billing.models import PaidNotice, PaymentRequest, Rate, Receipt
from billing.networks import NETWORKS, Asset, Network
from billing.qr import code_of
from billing.trail import Line, rate_text, trail
from billing.uris import payment_uri
from billing.wording import no_coin, words
from common.formats import coin, day, when
from common.refusals import Refusal


@dataclass(frozen=True)
class Facts:
    """What is so, counted in the asset's smallest units."""

    due: int
    seen: int
    confirmed: int
    credited_cents: int

    @property
    def left(self) -> int:
        """What was neither seen nor confirmed yet."""
        return max(self.due - self.seen - self.confirmed, 0)


def payment_sheet(
    request: PaymentRequest,
    now: datetime,
    *,
    paid_at: datetime | None = None,
    more: Iterable[Line] = (),
    exchange_fee: str = "",
) -> dict[str, Any]:
    """The payment page of one request.

    Args:
        paid_at: when the order was paid, of those who know the order.
        more: further lines for the trail, likewise.
        exchange_fee: what an exchange keeps, in whole coins, as typed into the page's helper.
    """
    network = NETWORKS[request.network]
    asset = network.asset(request.asset)
    notice = PaidNotice.objects.filter(request=request).first()
    receipts = list(request.receipts.order_by("id").prefetch_related("moves"))
    facts = _facts(request, receipts)
    late = request.is_late(now)
    state = _state(request, facts, notice, late, paid_at)
    # Less than was asked for was seen: the rest may still be sent.
    wanting = state in ("asked", "told", "short") or (state == "seen" and facts.left > 0)
    asks = wanting and not late and request.state == PaymentRequest.State.OPEN
    units = typeable(facts.left, asset.decimals, asset.typed) or facts.due
    address = request.address.address
    lines = trail(request, notice, receipts, request.moves.all(), more)
    sheet = {
        "id": request.pk,
        "state": state,
        "shape": _SHAPES[state],
        "late": late,
        "asks": asks,
        "closed": request.state == PaymentRequest.State.CLOSED,
        "demo": settings.DEMO,
        "network": network.name,
        "confirmations": network.confirmations,
        "asset": asset.code,
        "asset_name": asset.name,
        "contract": asset.contract,
        "amount": coin(units, asset.decimals),
        "due": coin(facts.due, asset.decimals),
        "rest": 0 < facts.left < facts.due,
        "address": address,
        "address_groups": address_groups(address),
        "amount_cents": request.amount_cents,
        "credited_cents": facts.credited_cents,
        "missing_cents": max(request.amount_cents - facts.credited_cents, 0),
        "rate": rate_text(request.rate),
        "rate_source": request.rate.get_source_display(),
        "rate_at": request.rate.set_at,
        "created_at": request.created_at,
        "expires_at": request.expires_at,
        "local_deadline": _local(request, request.expires_at),
        "now": now,
        "seen": coin(facts.seen, asset.decimals) if facts.seen else "",
        "confirmed": coin(facts.confirmed, asset.decimals) if facts.confirmed else "",
        "noted_at": notice.noted_at if notice else None,
        "claim": (notice.transaction or "") if notice else "",
        "seen_at": min((r.seen_at for r in receipts if _counts(r)), default=None),
        "confirmed_at": _covered_at(receipts, facts),
        "paid_at": paid_at,
        "transaction_hint": network.transaction_hint,
        "vouched": any(r.vouched_at and r.state == Receipt.State.SEEN for r in receipts),
        "strays": any(r.problem for r in receipts),
        "trail": lines,
        # The date is said once where all of it is of one day.
        "trail_day": day(lines[0].at) if len({line.at.astimezone(UTC).date() for line in lines}) == 1 else "",
        **_codes(request, network, asset, units, asks),
        **_exchange(asset, units, exchange_fee),
    }
    return sheet | words(sheet)


def choices(network: str, now: datetime, amount_cents: int | None = None) -> dict[str, Any]:
    """The network first, then the asset: what the page that chooses them shows. An off one stays, with its reason.

    Args:
        network: the network chosen before, or "" (an unknown one counts as none).
        amount_cents: the order's price, to show what it is in each asset.
    """
    known, free = rates.newest(now), receiving.available()
    offers = {
        n.code: [_offer(n, a, known[a.code], free[n.code], amount_cents) for a in n.assets] for n in NETWORKS.values()
    }
    rows = [
        {
            "code": n.code,
            "name": n.name,
            "assets": ", ".join(a.code for a in n.assets),
            "confirmations": n.confirmations,
            "off": "" if any(not offer["off"] for offer in offers[n.code]) else offers[n.code][0]["off"],
        }
        for n in NETWORKS.values()
    ]
    chosen = next((row for row in rows if row["code"] == network), None)
    return {"networks": rows, "network": chosen, "assets": offers[network] if chosen else []}


def address_groups(address: str) -> list[list[tuple[str, bool]]]:
    """The address in fours to read, as pieces (text, marked): the first and last six characters are marked."""
    first, last = 6, len(address) - 6
    groups: list[list[tuple[str, bool]]] = []
    for start in range(0, len(address), 4):
        pieces: list[tuple[str, bool]] = []
        for at in range(start, min(start + 4, len(address))):
            marked = at < first or at >= last
            if pieces and pieces[-1][1] == marked:
                pieces[-1] = (pieces[-1][0] + address[at], marked)
            else:
                pieces.append((address[at], marked))
        groups.append(pieces)
    return groups


_SHAPES = {
    "asked": "missing",
    "told": "told",
    "seen": "seen",
    "short": "seen",
    "covered": "confirmed",
    "paid": "confirmed",
    "over": "stopped",
}


def _state(
    request: PaymentRequest, facts: Facts, notice: PaidNotice | None, late: bool, paid_at: datetime | None
) -> str:
    """The furthest fact that was observed: nothing that was only told goes above what was seen."""
    if paid_at is not None:
        return "paid"
    if request.state == PaymentRequest.State.COVERED:
        return "covered"
    if facts.seen:
        return "seen"
    if facts.confirmed:
        return "short"
    if notice is not None:
        return "told"
    return "over" if late or request.state == PaymentRequest.State.CLOSED else "asked"


def _counts(receipt: Receipt) -> bool:
    return not receipt.problem and receipt.state != Receipt.State.REPLACED


def _facts(request: PaymentRequest, receipts: list[Receipt]) -> Facts:
    counted = [receipt for receipt in receipts if _counts(receipt)]
    confirmed = [receipt for receipt in counted if receipt.state == Receipt.State.CONFIRMED]
    return Facts(
        due=request.due_units,
        seen=sum(receipt.units for receipt in counted if receipt.state == Receipt.State.SEEN),
        confirmed=sum(receipt.units for receipt in confirmed),
        credited_cents=sum(receipt.credited_cents for receipt in confirmed),
    )


def _covered_at(receipts: list[Receipt], facts: Facts) -> datetime | None:
    """When what was asked for was confirmed whole; part of it does not reach this step."""
    if facts.confirmed < facts.due:
        return None
    return max((r.confirmed_at for r in receipts if _counts(r) and r.confirmed_at is not None), default=None)


def _local(request: PaymentRequest, moment: datetime) -> str:
    """The same instant in the customer's own zone, to stand beside the UTC time; empty when that is UTC."""
    zone = str(getattr(request.customer, "time_zone", "UTC"))
    return "" if zone == "UTC" else when(moment, zone)


def _codes(request: PaymentRequest, network: Network, asset: Asset, units: int, asks: bool) -> dict[str, Any]:
    """The URI and its QR codes while something may still be sent. A demo puts its sentence in their place."""
    if not asks:
        return {"uri": "", "qr": None, "address_qr": None}
    if settings.DEMO:
        return {"uri": "", "qr": code_of(no_coin()), "address_qr": None}
    address = request.address.address
    uri = payment_uri(network, asset, address, units, f"Kernodeck {request.reference}")
    # Where the network has no URI the code is the address anyway: one is enough, and there is nothing to open.
    return {
        "uri": uri if uri != address else "",
        "qr": code_of(uri),
        "address_qr": code_of(address) if uri != address else None,
    }


def _exchange(asset: Asset, units: int, fee: str) -> dict[str, str]:
    """What to enter at an exchange that keeps `fee`, so that the whole amount arrives."""
    fee = fee.strip().replace(",", ".")
    if not fee:
        return {"exchange_fee": "", "exchange_amount": "", "exchange_error": ""}
    try:
        gross = coin(units + units_of(fee, asset.decimals), asset.decimals)
    except ValueError:
        error = _("Enter the fee in %(asset)s with digits and a point, e.g. 0.0005.") % {"asset": asset.code}
        return {"exchange_fee": fee[:40], "exchange_amount": "", "exchange_error": error}
    return {"exchange_fee": fee, "exchange_amount": gross, "exchange_error": ""}


def _offer(network: Network, asset: Asset, rate: Rate | Refusal, free: bool, cents: int | None) -> dict[str, Any]:
    offer: dict[str, Any] = {"code": asset.code, "name": asset.name, "contract": asset.contract, "off": ""}
    if not free:
        return offer | {"off": receiving.none_left(network.code).sentence}
    if isinstance(rate, Refusal):
        return offer | {"off": rate.sentence}
    offer |= {"rate": rate_text(rate), "rate_source": rate.get_source_display(), "rate_at": rate.set_at}
    if cents:
        units = due_units(cents, rate.micro_usd, asset.decimals, asset.typed)
        offer["amount"] = coin(units, asset.decimals)
    return offer
