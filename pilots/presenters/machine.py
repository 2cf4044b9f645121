"""The machine a run used, as its host told of it, in a few words."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common import formats
from pilots import vocabulary
from pilots.models import Host, Run
from pilots.presenters.text import visible

Text = str | Promise


@dataclass(frozen=True)
class Machine:
    cards: list[dict[str, Any]]
    words: str
    sandbox: Text
    python: str
    platform: str
    driver: str


def machine_of(run: Run) -> Machine:
    """What the run itself recorded, completed by what its host tells of itself."""
    told = {**run.host.facts, **(run.facts.get("machine") or {})}
    return _machine(told)


def machine_of_host(host: Host) -> Machine:
    return _machine(dict(host.facts))


def _machine(facts: dict[str, Any]) -> Machine:
    cards = [card for card in facts.get("cards") or [] if isinstance(card, dict)]
    return Machine(
        cards=cards,
        words=_cards(cards) if cards else _processor(facts),
        sandbox=vocabulary.sandbox(str(facts.get("sandbox") or "")),
        python=visible(str(facts.get("python") or "")),
        platform=visible(str(facts.get("platform") or "")),
        driver=visible(str(cards[0].get("driver") or "")) if cards else "",
    )


def _cards(cards: list[dict[str, Any]]) -> str:
    first = cards[0]
    memory = first.get("memory_bytes")
    words = f"{len(cards)} × {visible(str(first.get('model') or '?'))}"
    return f"{words}, {formats.number(round(memory / 1024**3))}{formats.NBSP}GB" if memory else words


def _processor(facts: dict[str, Any]) -> str:
    cores, memory = facts.get("cpus"), facts.get("memory_bytes")
    if not cores:
        return _("no card")
    words = ngettext("no card, %(n)s processor core", "no card, %(n)s processor cores", cores) % {"n": cores}
    return f"{words}, {formats.number(round(memory / 1024**3))}{formats.NBSP}GB" if memory else words
