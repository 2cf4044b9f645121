"""What was chosen or bought, in words: the same lines for the chooser, a quote, an order and its letters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import number, usd
from rental.catalogue.prices import hours_of

if TYPE_CHECKING:
    from rental.models import Card


class Choice(Protocol):
    """A quote or an order: both hold the same figures."""

    days: int
    lots: int
    cards: int
    preparation_note: str
    unit_price_cents: int
    total_cents: int

    @property
    def card(self) -> "Card": ...

    def get_preparation_display(self) -> str: ...


@dataclass(frozen=True)
class Bought:
    card: str
    card_facts: str
    term: str
    lots_text: str
    preparation: str
    note: str
    unit_cents: int
    total_cents: int
    arithmetic: str
    cards: int


def bought(choice: Choice) -> Bought:
    return Bought(
        card=choice.card.name,
        card_facts=card_facts(choice.card),
        term=term(choice.days),
        lots_text=f"{lots(choice.lots)} = {holds(choice.card.backend, choice.cards)}",
        preparation=choice.get_preparation_display(),
        note=choice.preparation_note,
        unit_cents=choice.unit_price_cents,
        total_cents=choice.total_cents,
        arithmetic=f"{lots(choice.lots)} × {usd(choice.unit_price_cents)}",
        cards=choice.cards,
    )


def in_short(choice: Choice) -> str:
    """One line for lists: `2 lots of H200, 7 days`."""
    return _("%(lots)s of %(card)s, %(days)s") % {
        "lots": lots(choice.lots),
        "card": choice.card.name,
        "days": days(choice.days),
    }


def card_facts(card: "Card") -> str:
    """`192 GB each, NVIDIA, cuda`, or what a machine without GPU is."""
    if not card.memory_gb:
        return _("no GPU: a machine to try the whole way")
    memory = _("%(memory)s GB on each card") % {"memory": number(card.memory_gb)}
    return ", ".join(part for part in (memory, card.vendor, card.backend) if part)


def lots(count: int) -> str:
    return ngettext("%(count)s lot", "%(count)s lots", count) % {"count": number(count)}


def cards(count: int) -> str:
    return ngettext("%(count)s card", "%(count)s cards", count) % {"count": number(count)}


def holds(backend: str, count: int) -> str:
    """What lots are made of: cards, or for the trial without a GPU whole machines."""
    if backend != "cpu":
        return cards(count)
    return ngettext("%(count)s machine", "%(count)s machines", count) % {"count": number(count)}


def days(count: int) -> str:
    return ngettext("%(count)s day", "%(count)s days", count) % {"count": number(count)}


def hours(count: int) -> str:
    return ngettext("%(count)s hour", "%(count)s hours", count) % {"count": number(count)}


def term(count: int) -> str:
    """`7 days (168 hours)`."""
    return _("%(days)s (%(hours)s)") % {"days": days(count), "hours": hours(hours_of(count))}
