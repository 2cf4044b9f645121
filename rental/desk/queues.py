"""What waits for a person, oldest first. Reads, never writes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, Subquery, Sum
from django.utils.translation import gettext as _

from billing import desk as billing_desk
from billing.models import PaymentRequest, Rate, Receipt
from billing.networks import ASSETS, NETWORKS
from common.formats import coin, number
from rental.delivery import handover, wiping
from rental.models import Approval, CardProof, FaultReport, Letter, Order, OrderHost, Waiting
from rental.orders.bought import in_short
from rental.orders.vocabulary import describe

SHOWN = 50
HOSTS_SHOWN = 100
# How long a notice for an order that is over, and money that belongs to nobody, stay in sight.
CLOSED_NOTICES = timedelta(days=14)
STRAY_MONEY = timedelta(days=30)
ENDING = timedelta(hours=72)


@dataclass(frozen=True)
class Candidate:
    """A host as the delivery form shows it: what it showed, and why it cannot be handed over for this order."""

    host: str
    shows: str
    proved_at: datetime
    trouble: str

    @property
    def ready(self) -> bool:
        return not self.trouble


def notices(now: datetime) -> list[dict[str, Any]]:
    """“I paid” without any money seen."""
    recent = Q(request__state=PaymentRequest.State.OPEN) | Q(noted_at__gt=now - CLOSED_NOTICES)
    rows = billing_desk.notices_without_receipt().filter(recent)[:SHOWN]
    return [{"notice": row, "request": row.request, "due": amount_of(row.request)} for row in rows]


def receipts(now: datetime) -> list[dict[str, Any]]:
    """Money seen and not confirmed, and confirmed money that was credited to nobody."""
    stray = billing_desk.receipts_of_nobody().filter(confirmed_at__gt=now - STRAY_MONEY)
    stray = stray.select_related("request__customer", "recorded_by", "vouched_by")[:SHOWN]
    rows = sorted([*billing_desk.receipts_to_confirm()[:SHOWN], *stray], key=lambda row: row.seen_at)
    return [{"receipt": row, "amount": amount_of(row)} for row in rows]


def amount_of(row: PaymentRequest | Receipt) -> str:
    """`0.014249 BTC`: what a request asks for, or a receipt brought."""
    units = row.units if isinstance(row, Receipt) else row.due_units
    return f"{coin(units, NETWORKS[row.network].asset(row.asset).decimals)}\u00a0{row.asset}"


def deliveries(now: datetime) -> list[dict[str, Any]]:
    """Paid and not delivered, the oldest promise first, with the hosts that could serve each."""
    orders = list(Order.objects.to_deliver().select_related("card", "customer")[:SHOWN])
    if not orders:
        return []
    shown, taken, unwiped = handover.looks(), _taken(), _unwiped()
    return [
        {
            "order": order,
            "short": in_short(order),
            "state": describe(order, now),
            "ready": sum(_candidate(order, host, rows, taken, unwiped, now).ready for host, rows in shown.items()),
        }
        for order in orders
    ]


def candidates(order: Order, looks: dict[str, list[CardProof]], now: datetime) -> list[Candidate]:
    """Every host that ever showed a card, those that can be handed over first."""
    taken, unwiped = _taken(), _unwiped()
    found = [_candidate(order, host, rows, taken, unwiped, now) for host, rows in looks.items()]
    return sorted(found, key=lambda one: (not one.ready, one.host))[:HOSTS_SHOWN]


def _taken() -> dict[str, bool]:
    """Hosts that serve an order now, and whether one of them has the host for itself."""
    taken: dict[str, bool] = {}
    for host, exclusive in OrderHost.objects.filter(released_at=None).values_list("host_ref", "exclusive"):
        taken[host] = taken.get(host, False) or exclusive
    return taken


def _unwiped() -> set[str]:
    return set(wiping.waiting().values_list("host_ref", flat=True))


def _candidate(
    order: Order, host: str, rows: list[CardProof], taken: dict[str, bool], unwiped: set[str], now: datetime
) -> Candidate:
    mine = [proof for proof in rows if proof.card_id == order.card_id]
    busy = taken.get(host, False) if order.card.shares_host else host in taken
    trouble = ""
    if not mine:
        trouble = _("It does not show %(card)s.") % {"card": order.card.name}
    elif mine[0].is_old(now):
        trouble = _("It showed its cards too long ago: run its diagnostic again.")
    elif busy:
        trouble = _("It serves another order.")
    elif not order.card.shares_host and host in unwiped:
        trouble = _("It was not wiped after its last order.")
    shows = ", ".join(sorted({_shown(proof) for proof in mine or rows}))
    return Candidate(host, shows, rows[0].proved_at, trouble)


def _shown(proof: CardProof) -> str:
    memory = f", {number(proof.memory_gb, 0)}\u00a0GB" if proof.memory_gb else ""
    return f"{number(proof.count)} × {proof.machine}{memory}"


def approvals(now: datetime) -> list[Approval]:
    """Acts on money that wait for a second operator, the oldest first."""
    return list(Approval.objects.waiting(now).select_related("asked_by")[:SHOWN])


def faults() -> list[dict[str, Any]]:
    """Faults that customers reported and nobody answered, the oldest first."""
    rows = FaultReport.objects.filter(state=FaultReport.State.OPEN).order_by("reported_at", "pk")
    return [
        {"report": row, "order": row.order, "short": in_short(row.order)}
        for row in rows.select_related("order__card", "order__customer")[:SHOWN]
    ]


def lists() -> list[dict[str, Any]]:
    """How many people wait for each card, and how many lots they want."""
    rows = Waiting.objects.in_line().order_by("card__position")
    counted = rows.values_list("card__name").annotate(people=Count("pk"), wanted=Sum("lots"))
    return [{"card": card, "people": people, "wanted": wanted} for card, people, wanted in counted]


def wipes() -> list[OrderHost]:
    """Machines given back and not wiped, the longest wait first."""
    return list(wiping.waiting().select_related("order__card")[:SHOWN])


def ending(now: datetime) -> list[dict[str, Any]]:
    rows = Order.objects.filter(state=Order.State.DELIVERED, ends_at__lte=now + ENDING)
    rows = rows.select_related("card", "customer").order_by("ends_at")[:SHOWN]
    return [
        {"order": order, "short": in_short(order), "over": bool(order.ends_at and order.ends_at <= now)}
        for order in rows
    ]


def rates(now: datetime) -> list[dict[str, Any]]:
    """Each asset's newest rate, in one query; an asset without one is off, and is listed all the same."""
    newest = [Subquery(Rate.objects.filter(asset=asset).order_by("-pk").values("pk")[:1]) for asset in ASSETS]
    # One probe of the index an asset, in one query: the history may be long.
    rows_now = Rate.objects.filter(pk__in=newest)  # type: ignore[misc]
    known = {rate.asset: rate for rate in rows_now.select_related("set_by")}
    rows = []
    for asset in ASSETS:
        rate = known.get(asset)
        kind, word = _rate_state(rate, now)
        rows.append({"asset": asset, "rate": rate, "usd": usd_of(rate) if rate else "–", "kind": kind, "word": word})
    return rows


def _rate_state(rate: Rate | None, now: datetime) -> tuple[str, str]:
    if rate is None:
        return "missing", _("not set: off")
    if not rate.is_valid(now):
        return "stopped", _("out of date: off")
    if rate.valid_until < now + timedelta(hours=6):
        return "late", _("in use, ends soon")
    return "told", _("in use")


def usd_of(rate: Rate) -> str:
    """A rate as people read it, all its digits and no group separators: it is copied into a form."""
    whole, micro = divmod(rate.micro_usd, 1_000_000)
    return f"{whole}.{f'{micro:06d}'.rstrip('0').ljust(2, '0')}"


def letters_given_up() -> int:
    return Letter.objects.filter(sent_at=None, next_attempt_at=None).count()
