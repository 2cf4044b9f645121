"""The arithmetic of renting: whole cents and whole hours, no database, no clock."""

from typing import Final

DAYS: Final = (3, 7, 30)
LOTS: Final = range(1, 11)
HOURS_PER_DAY: Final = 24


def total_cents(unit_price_cents: int, lots: int) -> int:
    """What an order costs: price of a lot for the term × lots. Never multiplied again by cards."""
    return unit_price_cents * lots


def cards_of(lots: int, cards_per_lot: int) -> int:
    return lots * cards_per_lot


def hours_of(days: int) -> int:
    """A term in hours from the instant of delivery: 72, 168 or 720."""
    return days * HOURS_PER_DAY


def lots_covered(counts: list[int], cards_per_lot: int) -> int:
    """How many whole lots hosts with these numbers of cards can hold; a lot never spans two hosts."""
    return sum(count // cards_per_lot for count in counts)


def whole(text: str) -> int | None:
    """The whole number a form field holds, or None: ASCII digits only, no sign, point, exponent or other script."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None
