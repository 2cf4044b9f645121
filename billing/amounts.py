"""The arithmetic between USD cents and a coin's smallest units: integers only, no clock, no database."""

from typing import Final

MICRO_A_CENT: Final = 10_000


def due_units(cents: int, micro_usd: int, decimals: int, typed: int) -> int:
    """What to send for `cents`: rounded up to the next amount with at most `typed` digits after the point.

    Args:
        cents: USD cents asked for, > 0.
        micro_usd: the rate, millionths of a USD for one whole coin, > 0.
        decimals: digits of the smallest unit.
        typed: digits that a person is asked to type, ≤ decimals.
    """
    if cents <= 0 or micro_usd <= 0 or not 0 <= typed <= decimals:
        raise ValueError("cents and rate are above zero, and no more digits are typed than there are")
    return typeable(-(-cents * MICRO_A_CENT * 10**decimals // micro_usd), decimals, typed)


def typeable(units: int, decimals: int, typed: int) -> int:
    """`units` rounded up to the next amount with at most `typed` digits after the point."""
    step: int = 10 ** (decimals - typed)
    steps: int = -(-units // step)
    return steps * step


def credited_cents(total_units: int, due: int, cents: int) -> int:
    """What all units received so far are worth at a request's locked rate; exactly `cents` when `due` arrived."""
    return total_units * cents // due


def value_cents(units: int, micro_usd: int, decimals: int) -> int:
    """What `units` are worth at a rate, in whole cents, rounded down."""
    return int(units * micro_usd // (MICRO_A_CENT * 10**decimals))


def units_of(text: str, decimals: int) -> int:
    """A plain decimal string of whole coins as smallest units. Raises: ValueError for anything else.

    Only ASCII digits and one point; no sign, no exponent, no group separators, no digits the coin does not have.
    """
    whole, point, rest = text.partition(".")
    if not (text.isascii() and whole.isdigit() and (rest.isdigit() if point else True)):
        raise ValueError("not a plain decimal number")
    if len(rest) > decimals or len(whole) > 78:
        raise ValueError("more digits than this coin has")
    unit: int = 10**decimals
    return int(whole) * unit + int(rest.ljust(decimals, "0") or "0")
