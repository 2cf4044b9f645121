"""Delivery: hosts show their cards, an operator hands them over, the customer reads the access."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.refusals import Refusal
from rental.accounts import ssh_keys
from rental.catalogue import prices
from rental.delivery import matching, wiping
from rental.delivery.sealing import seal, unseal
from rental.letters import emails
from rental.letters import late as late_letters
from rental.models import Access, AccessReveal, CardProof, MoveCode, Order, OrderHost, OrderMove, User
from rental.orders import lateness
from rental.orders.moves import lock, move, wrong_state

ACCESS_LENGTH = 20_000
HOSTS = 20


@dataclass(frozen=True)
class Difference:
    """Why a host does not stand for what was sold: a stable code, the host it is about, and a sentence."""

    code: str
    host: str
    sentence: str

    def as_data(self) -> dict[str, str]:
        return {"code": self.code, "host": self.host, "detail": self.sentence}


def record_card_proof(
    *,
    host_ref: str,
    backend: str,
    model: str,
    count: int,
    memory_gb: float,
    facts: dict[str, Any],
    at: datetime,
) -> list[CardProof]:
    """Keep what a host's own diagnostic showed; the proofs that match a card on sale.

    Proofs with the same `at` are one look at the host: a later look replaces all of an earlier one.
    What matches no card is kept too, so that a refusal can name it.

    Args:
        model: as the driver names it, e.g. "NVIDIA H100 80GB HBM3"; for a CPU machine the processor.
        count: cards of this model; for a CPU machine 1.
        memory_gb: of one card, decimal or binary gigabytes (both are accepted); 0 when not measured.
    """
    cards = matching.cards_shown(backend, model, memory_gb) if count > 0 else []
    seen = {"host_ref": host_ref, "backend": backend, "model": model, "count": count}
    rest = {"memory_gb": memory_gb, "facts": facts, "proved_at": at}
    if not cards:
        CardProof.objects.create(card=None, **seen, **rest)
        return []
    return [CardProof.objects.create(card=card, **seen, **rest) for card in cards]


def start_preparation(order: Order, by: User) -> Order:
    """An operator begins to prepare a paid order."""
    with transaction.atomic():
        order = lock(order)
        if order.state == Order.State.PREPARING:
            return order
        move(order, Order.State.PREPARING, code=MoveCode.PREPARATION_STARTED, at=timezone.now(), by=by)
        return order


def hand_over(order: Order, *, hosts: list[str], access: str, by: User) -> Order:
    """Deliver the order on `hosts`; its term begins now and lasts 72, 168 or 720 hours to the second, and the
    hours by which the delivery is late.

    Raises:
        Refusal: `wrong_state`; `hosts_missing`, `access_missing` (422, at their field); `cards_not_proved` with
            `differences` when the hosts' fresh diagnostics do not show the cards that were sold.
    """
    _check_input(hosts, access)
    with transaction.atomic():
        order = lock(order)
        if order.state not in (Order.State.PAID, Order.State.PREPARING):
            raise wrong_state(order)
        now = timezone.now()
        # Two orders that want one host come one after the other, whether they would share it or not.
        for host in sorted(hosts):
            CardProof.objects.select_for_update().filter(host_ref=host).order_by("-pk").first()
        _refuse(differences(order, hosts, now))
        exclusive = not order.card.shares_host
        try:
            with transaction.atomic():
                OrderHost.objects.bulk_create(
                    OrderHost(order=order, host_ref=host, exclusive=exclusive, attached_at=now) for host in hosts
                )
        except IntegrityError:
            # Another order took one of the hosts since we looked.
            _refuse([_in_use(host) for host in hosts])
        keys = [{"label": key.label, "fingerprint": key.fingerprint} for key in ssh_keys.of(order.customer)]
        Access.objects.create(order=order, sealed=seal(access.strip()), keys=keys, created_at=now)
        if order.state == Order.State.PAID:
            move(order, Order.State.PREPARING, code=MoveCode.PREPARATION_STARTED, at=now, by=by)
        _begin_term(order, now, by)
        emails.order_delivered(order)
        return order


def _begin_term(order: Order, now: datetime, by: User) -> None:
    """The term begins now. Each started hour after the promise adds one to it, and a letter says so."""
    late = lateness.hours_late(order.promised_at, now) if order.promised_at else 0
    times: dict[str, Any] = {"delivered_at": now, "ends_at": lateness.first_end(now, order.term, late)}
    move(order, Order.State.DELIVERED, code=MoveCode.HANDED_OVER, at=now, by=by, late_hours=late, **times)
    if late:
        state = order.state
        OrderMove.objects.create(order=order, old=state, new=state, actor=None, at=now, code=MoveCode.LATE_HOURS)
        late_letters.hours_added(order)


def differences(order: Order, hosts: list[str], now: datetime) -> list[Difference]:
    """What stands between these hosts and the cards that were sold; empty when they are proved."""
    found, counts = [], []
    for host in hosts:
        shown = latest_proofs(host)
        mine = [proof for proof in shown if proof.card_id == order.card_id]
        count = sum(proof.count for proof in mine)
        if not shown:
            found.append(Difference("no_proof", host, _("%(host)s has shown no card yet.") % {"host": host}))
        elif not mine:
            found.append(_other_card(order, host, shown))
        elif mine[0].is_old(now):
            sentence = _("%(host)s showed its cards more than %(hours)d hours ago: run its diagnostic again.")
            found.append(Difference("proof_too_old", host, sentence % {"host": host, "hours": settings.PROOF_HOURS}))
        elif _is_taken(order, host):
            found.append(_in_use(host))
        elif not order.card.shares_host and wiping.waiting().filter(host_ref=host).exists():
            sentence = _("%(host)s was not wiped after its last order: wipe it and write it down first.")
            found.append(Difference("host_not_wiped", host, sentence % {"host": host}))
        counts.append(count)
    covered = prices.lots_covered(counts, order.card.cards_per_lot)
    if not found and not order.card.shares_host and covered < order.lots:
        sentence = _("The hosts show %(shown)d cards of this model, enough for %(covered)d of the %(lots)d lots sold.")
        figures = {"shown": sum(counts), "covered": covered, "lots": order.lots}
        found.append(Difference("too_few_cards", ", ".join(hosts), sentence % figures))
    return found


def latest_proofs(host_ref: str) -> list[CardProof]:
    """The host's last look at itself."""
    last = CardProof.objects.filter(host_ref=host_ref).order_by("-proved_at").values("proved_at")[:1]
    return list(CardProof.objects.filter(host_ref=host_ref, proved_at=last).select_related("card"))


def looks() -> dict[str, list[CardProof]]:
    """Each host's last look at itself, in one query."""
    last = CardProof.objects.filter(host_ref=OuterRef("host_ref")).order_by("-proved_at").values("proved_at")[:1]
    found: dict[str, list[CardProof]] = defaultdict(list)
    for proof in CardProof.objects.filter(proved_at=Subquery(last)).select_related("card").order_by("host_ref", "pk"):
        found[proof.host_ref].append(proof)
    return found


def hosts_of(order: Order) -> list[str]:
    """The hosts that serve the order now."""
    return list(order.hosts.filter(released_at=None).order_by("pk").values_list("host_ref", flat=True))


def reveal(order: Order, by: User) -> str:
    """The access in plain text; each reading leaves a row.

    Raises:
        Refusal: `no_access` before delivery and from the second the term ends; `email_unconfirmed` to a reader
            whose address may be somebody else's.
    """
    if not by.email_confirmed:
        raise Refusal(
            "email_unconfirmed",
            gettext_lazy("Confirm your email address first: the link is in the letter we wrote. Then read the access."),
        )
    with transaction.atomic():
        now = timezone.now()
        order = lock(order)
        access = Access.objects.filter(order=order, revoked_at=None).first()
        over = order.ends_at is None or order.ends_at <= now
        if access is None or order.state != Order.State.DELIVERED or over:
            raise Refusal("no_access", gettext_lazy("There is no access to show: the order is not in its term."))
        AccessReveal.objects.create(access=access, by=by, at=now)
        return unseal(bytes(access.sealed))


def _check_input(hosts: Any, access: Any) -> None:
    good = isinstance(hosts, list) and all(isinstance(host, str) and host for host in hosts)
    if not good or not 1 <= len(hosts) <= HOSTS or len(set(hosts)) != len(hosts):
        sentence = gettext_lazy("Name the hosts to hand over, each once.")
        raise Refusal("hosts_missing", sentence, status=422, field="hosts")
    if not isinstance(access, str) or not access.strip() or len(access) > ACCESS_LENGTH:
        sentence = gettext_lazy("Write how the customer reaches the machine, in at most 20,000 characters.")
        raise Refusal("access_missing", sentence, status=422, field="access")


def _refuse(found: list[Difference]) -> None:
    if found:
        sentence = _("The hosts do not show the cards that were sold. %(differences)s") % {
            "differences": " ".join(difference.sentence for difference in found)
        }
        raise Refusal("cards_not_proved", sentence, data={"differences": [d.as_data() for d in found]})


def _other_card(order: Order, host: str, shown: list[CardProof]) -> Difference:
    sentence = _("%(host)s shows %(shown)s; %(card)s was sold.")
    names = ", ".join(_named(proof) for proof in shown)
    return Difference("other_card", host, sentence % {"host": host, "shown": names, "card": _sold(order)})


def _named(proof: CardProof) -> str:
    memory = f", {proof.memory_gb:.0f} GB" if proof.memory_gb else ""
    return f"{proof.count} × {proof.machine} ({proof.backend}{memory})"


def _sold(order: Order) -> str:
    memory = f", {order.card.memory_gb} GB" if order.card.memory_gb else ""
    return f"{order.cards} × {order.card.name} ({order.card.backend}{memory})"


def _is_taken(order: Order, host: str) -> bool:
    """Whether a live order uses the host in a way that leaves no place for this one."""
    serving = OrderHost.objects.filter(host_ref=host, released_at=None).exclude(order=order)
    return serving.filter(exclusive=True).exists() if order.card.shares_host else serving.exists()


def _in_use(host: str) -> Difference:
    return Difference("host_in_use", host, _("%(host)s serves another order.") % {"host": host})
