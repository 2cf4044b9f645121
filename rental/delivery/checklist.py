"""What was sold beside what a machine's own diagnostic showed, a line each: met, missed or not measured."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import number, when
from rental.delivery import matching
from rental.delivery.handover import HOSTS
from rental.models import CardProof, Order

MET, MISSED, UNMEASURED = "confirmed", "stopped", "missing"


@dataclass(frozen=True)
class Line:
    what: str
    sold: str
    shown: str
    kind: str  # a shape of the vocabulary of states

    @property
    def verdict(self) -> str:
        return {MET: _("met"), MISSED: _("missed"), UNMEASURED: _("not measured")}[self.kind]


@dataclass(frozen=True)
class Checklist:
    host: str
    lines: list[Line]


def of_hosts(order: Order, looks: dict[str, list[CardProof]]) -> list[Checklist]:
    """A list for each host that showed the order's backend when it last looked at itself."""
    mine = [proofs for _host, proofs in sorted(looks.items()) if proofs[0].backend == order.card.backend]
    return [found for proofs in mine[:HOSTS] if (found := of_proofs(order, proofs)) is not None]


def of_proofs(order: Order, proofs: list[CardProof]) -> Checklist | None:
    """The list of one host, from one look at itself; None when it showed nothing."""
    if not proofs:
        return None
    mine = [proof for proof in proofs if proof.card_id == order.card_id] or proofs
    first, card = mine[0], order.card
    lines = [Line(_("Model"), card.name, first.machine, _judge(_names(order, first)))]
    if card.memory_gb:
        count = sum(proof.count for proof in mine if proof.card_id == order.card_id)
        # A host may hold a part of the order: the others bring the rest, and the handover adds them up.
        least = card.cards_per_lot
        sold = ngettext("%(count)s card in all", "%(count)s cards in all", order.cards) % {"count": number(order.cards)}
        lines.append(Line(_("Cards"), sold, number(count), _judge(count >= least)))
        memory = first.memory_gb or None
        fits = memory and matching.LEAST * card.memory_gb <= memory <= matching.MOST * card.memory_gb
        shown = _("%(memory)s GB") % {"memory": number(memory, 1)} if memory else ""
        sold = _("%(memory)s GB on each card") % {"memory": number(card.memory_gb)}
        lines.append(Line(_("Memory"), sold, shown, _judge(bool(fits)) if memory else UNMEASURED))
        driver = _driver(first.facts)
        lines.append(Line(_("Driver"), _("it answers"), driver, MET if driver else UNMEASURED))
    lines.append(Line(_("Shown"), "", when(first.proved_at), MET))
    return Checklist(first.host_ref, lines)


def _names(order: Order, proof: CardProof) -> bool:
    return order.card.memory_gb is None or matching.words(order.card.name) <= matching.words(proof.model)


def _driver(facts: dict[str, Any]) -> str:
    """The driver's version among the facts of the diagnostic, wherever its rung wrote it."""
    direct = facts.get("driver")
    if isinstance(direct, str):
        return direct
    cards = facts.get("cards")
    rows = cards if isinstance(cards, list) else []
    return next((str(row["driver"]) for row in rows if isinstance(row, dict) and row.get("driver")), "")


def _judge(good: bool) -> str:
    return MET if good else MISSED
