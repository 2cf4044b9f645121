"""What is known about an order, newest first, each line with the one who says it. Reads, never writes."""

from collections.abc import Iterable
from dataclasses import replace

from django.db.models import OuterRef, Subquery, prefetch_related_objects
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from billing import trail as billing_trail
from billing.models import PaymentRequest, Receipt
from billing.trail import Line
from common.formats import number, usd, when
from rental.models import AccessReveal, CardProof, MoveCode, Order, OrderHost, OrderMove
from rental.orders.lateness import first_end
from rental.orders.vocabulary import SEEN, TOLD, WAITING

# At the desk, “you” would be the operator who reads.
SEEN_FROM_DESK = {"you": "customer", "chose": "customer_chose"}


def money_of(codes: Iterable[str]) -> dict[str, str]:
    """What was noticed of each order's money: nothing, a notice, or a receipt. One query."""
    found: dict[str, str] = {}
    rows = PaymentRequest.objects.filter(reference__in=list(codes)).order_by()
    for code, notice, receipt in rows.values_list("reference", "notice__id", "receipts__state"):
        seen = receipt in (Receipt.State.SEEN, Receipt.State.CONFIRMED)
        word = SEEN if seen else TOLD if notice else WAITING
        if found.get(code) != SEEN and word != WAITING:
            found[code] = word
    return found


def proofs_of(order: Order) -> list[CardProof]:
    """What the order's hosts had last shown when they were handed over."""
    hosts = OrderHost.objects.filter(order=order).values("host_ref")
    before = CardProof.objects.filter(card=order.card_id, proved_at__lte=order.delivered_at)
    last = before.filter(host_ref=OuterRef("host_ref")).order_by("-proved_at").values("proved_at")[:1]
    return list(before.filter(host_ref__in=hosts, proved_at=Subquery(last)).order_by("pk"))


def money_from(requests: Iterable[PaymentRequest]) -> str:
    """The same for one order whose requests are already at hand, receipts and notice prefetched."""
    requests = list(requests)
    states = {receipt.state for request in requests for receipt in request.receipts.all()}
    if states & {Receipt.State.SEEN, Receipt.State.CONFIRMED}:
        return SEEN
    return TOLD if any(hasattr(request, "notice") for request in requests) else WAITING


def requests_of(order: Order) -> list[PaymentRequest]:
    """The order's payment requests with all that is known of each."""
    rows = PaymentRequest.objects.filter(reference=order.code).select_related("notice", "rate")
    return list(rows.prefetch_related("receipts__moves", "receipts__rate", "moves").order_by("created_at"))


def trail(
    order: Order,
    moves: Iterable[OrderMove],
    requests: Iterable[PaymentRequest],
    reveals: Iterable[AccessReveal] = (),
    proofs: Iterable[CardProof] = (),
    *,
    for_operator: bool = False,
) -> list[Line]:
    lines = [_move(order, move, for_operator) for move in moves]
    for request in requests:
        notice = getattr(request, "notice", None)
        lines += billing_trail.trail(request, notice, request.receipts.all(), request.moves.all())
    for reveal in reveals:
        lines.append(Line("chose" if reveal.by_id == order.customer_id else "we", reveal.at, _("Access revealed.")))
    lines += [_proof(proof) for proof in proofs]
    if for_operator:
        lines = [replace(line, source=SEEN_FROM_DESK.get(line.source, line.source)) for line in lines]
    # Of two lines at the same instant the later one in the rows comes first: they are newest first to the end.
    return sorted(lines, key=lambda line: line.at)[::-1]


def move_lines(order: Order) -> list[Line]:
    """The order's own lines, for the payment page."""
    return [_move(order, move, for_operator=False) for move in order.moves.select_related("actor")]


def _move(order: Order, move: OrderMove, for_operator: bool) -> Line:
    own = move.actor_id == order.customer_id
    stamped = move.code in (MoveCode.PAID_ON_CREDIT, MoveCode.HANDED_OVER)
    source = "confirmed" if stamped else "chose" if own else "we"
    # An operator's name and note are for operators; a customer reads their own words again, and a refund's reason.
    who = (move.actor.email if for_operator else _("By an operator.")) if move.actor and not own else ""
    note = move.note if for_operator or own or move.code == MoveCode.REFUNDED else ""
    if move.code == MoveCode.LATE_HOURS:
        note = late_words(order)
    if move.code == MoveCode.EXTENDED:
        note = extension_words(order, move)
    return Line(source, move.at, f"{move.get_code_display()}.", " – ".join(part for part in (who, note) if part))


def extension_words(order: Order, move: OrderMove) -> str:
    """From which end to which, and for how much. The order's extensions are asked for once, however many there are."""
    prefetch_related_objects([order], "extensions")  # only the first time
    found = next((row for row in order.extensions.all() if row.at == move.at), None)
    if found is None:
        return ""
    figures = {"old": when(found.old_ends_at), "new": when(found.new_ends_at), "price": usd(found.cents)}
    return _("The term ends %(new)s instead of %(old)s, for %(price)s.") % figures


def late_words(order: Order) -> str:
    """How late the delivery was, and what it gave: old end and new."""
    if order.promised_at is None or order.delivered_at is None:
        return ""
    old, new = (first_end(order.delivered_at, order.term, hours) for hours in (0, order.late_hours))
    figures = {"promised": when(order.promised_at), "old": when(old), "new": when(new)}
    sentence = ngettext(
        "Promised by %(promised)s; %(hours)s started hour late. The term ends %(new)s instead of %(old)s.",
        "Promised by %(promised)s; %(hours)s started hours late. The term ends %(new)s instead of %(old)s.",
        order.late_hours,
    )
    return sentence % (figures | {"hours": number(order.late_hours)})


def _proof(proof: CardProof) -> Line:
    facts = {"count": number(proof.count), "model": proof.machine, "memory": number(proof.memory_gb, 1)}
    text = (
        _("The diagnostic showed %(count)s × %(model)s with %(memory)s GB each.") % facts
        if proof.memory_gb
        else _("The diagnostic showed %(count)s × %(model)s.") % facts
    )
    return Line("host", proof.proved_at, text, proof.host_ref)
