"""Which card on sale a driver's words describe: the model's own words, and its memory as drivers measure it."""

import re

from rental.models import Backend, Card

# The same 80 GB card measures 79.6 binary or 85.5 decimal GB, a 48 GB one 45.0 or 48.3: from 10 % under to 12 % over.
LEAST, MOST = 0.90, 1.12
# Variants with a name of their own that would pass for the plain model.
VARIANTS = frozenset({"d", "laptop", "mobile", "max", "ti", "super"})


def words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def describes(card: Card, backend: str, model: str, memory_gb: float) -> bool:
    """Whether a host that shows `model` shows this card. A CPU machine is a CPU machine, whatever its processor."""
    if backend != card.backend:
        return False
    if card.backend == Backend.CPU:
        return True
    if not words(card.name) <= words(model) or (words(model) & VARIANTS) - words(card.name):
        return False
    return card.memory_gb is None or LEAST * card.memory_gb <= memory_gb <= MOST * card.memory_gb


def cards_shown(backend: str, model: str, memory_gb: float) -> list[Card]:
    """Cards of the catalogue, on sale or not, that this description fits."""
    return [card for card in Card.objects.filter(backend=backend) if describes(card, backend, model, memory_gb)]
