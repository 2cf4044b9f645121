"""Figures for readers: money, numbers and times in the reader's format; amounts to copy in plain ASCII.

Names of months and separators come from Babel, once a language; the rest is plain string work, because
a page shows hundreds of figures and Babel's own formatting was a third of a page's time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale
from django.utils import translation

NBSP = "\u00a0"
MINUS = "\u2212"
# Hour, minute, second where a language does not write h, min, s.
UNITS = {"tr": ("sa", "dk", "sn")}


@dataclass(frozen=True)
class Style:
    """How one language writes figures."""

    language: str
    group: str
    point: str
    months: tuple[str, ...]


@lru_cache
def style_of(code: str) -> Style:
    """The style of a language code (`pt-br` is Babel's `pt_BR`)."""
    locale = Locale.parse(code.replace("-", "_").replace("_br", "_BR"))
    symbols = locale.number_symbols["latn"]
    names = locale.months["format"]["abbreviated"]
    return Style(locale.language, symbols["group"], symbols["decimal"], ("", *(names[n] for n in range(1, 13))))


def style() -> Style:
    """The style of the language in force."""
    return style_of(translation.get_language() or "en")


def figure(value: int | float | Decimal, digits: int) -> str:
    """A figure with exactly `digits` decimals in the reader's format."""
    now = style()
    plain = f"{value:,.{digits}f}"
    if now.group != "," or now.point != ".":
        plain = plain.translate({44: now.group, 46: now.point})
    return plain.replace("-", MINUS, 1)


def usd(cents: int) -> str:
    """USD cents as the reader writes money, code last: `1,300.00 USD`, `1.300,00 USD`."""
    return f"{figure(Decimal(cents) / 100, 2)}{NBSP}USD"


def change(cents: int) -> str:
    """A change of a balance, always with its sign: `+150.00`, `−390.00`."""
    return f"{'+' if cents > 0 else ''}{figure(Decimal(cents) / 100, 2)}"


def amount(cents: int) -> str:
    """USD cents without the code, for a column whose heading names it."""
    return figure(Decimal(cents) / 100, 2)


def number(value: int | float | Decimal, digits: int | None = None) -> str:
    """A number in the reader's format, with `digits` decimals when given, else as many as it has, at most three."""
    if digits is not None:
        return figure(value, digits)
    if isinstance(value, int):
        return figure(value, 0)
    rounded = Decimal(str(value)).quantize(Decimal("0.001"), ROUND_HALF_EVEN).normalize()
    return figure(rounded, max(0, -int(rounded.as_tuple().exponent)))


def percent(share: float, digits: int = 1) -> str:
    """A share of one as a percentage, the sign where the language puts it."""
    shown, code = figure(share * 100, digits), style().language
    return f"%{shown}" if code == "tr" else f"{shown}{NBSP}%" if code in ("fr", "es") else f"{shown}%"


def coin(units: int, decimals: int) -> str:
    """An integer of a coin's smallest unit as a plain decimal string, the same in every language: `0.014249`."""
    whole, rest = divmod(units, 10**decimals)
    tail = f"{rest:0{decimals}d}".rstrip("0") if decimals else ""
    return f"{whole}.{tail}" if tail else str(whole)


def when(moment: datetime, zone: str = "UTC", *, seconds: bool = False) -> str:
    """An absolute time with its zone: `30 Nov 2026, 21:30 UTC`."""
    at = moment.astimezone(UTC if zone == "UTC" else ZoneInfo(zone))
    clock_time = f"{at:%H:%M:%S}" if seconds else f"{at:%H:%M}"
    return f"{at.day} {style().months[at.month]} {at.year}, {clock_time} {zone}"


def day(moment: datetime) -> str:
    at = moment.astimezone(UTC)
    return f"{at.day} {style().months[at.month]} {at.year}"


def clock(moment: datetime, *, seconds: bool = False) -> str:
    return f"{moment.astimezone(UTC):%H:%M:%S} UTC" if seconds else f"{moment.astimezone(UTC):%H:%M} UTC"


def span(duration: timedelta | float) -> str:
    """In the language's short units: `6 min 41 s`, `0.4 s`, `2 h 05 min`, `6 dk 41 sn`."""
    total = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    hour, minute, second = UNITS.get(style().language, ("h", "min", "s"))
    if round(total, 1) < 10:
        return f"{figure(total, 1)}{NBSP}{second}"
    whole = round(total)
    if whole < 60:
        return f"{whole}{NBSP}{second}"
    minutes, seconds = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}{NBSP}{minute}" + (f" {seconds:02d}{NBSP}{second}" if seconds else "")
    hours, minutes = divmod(minutes, 60)
    return f"{number(hours)}{NBSP}{hour}" + (f" {minutes:02d}{NBSP}{minute}" if minutes else "")


def size(count: int) -> str:
    """Bytes in decimal units, `2.4 MB`; a whole number of MiB or GiB, as limits are, stays whole: `512 MiB`."""
    for unit, name in ((1024**3, "GiB"), (1024**2, "MiB")):
        if count and count % unit == 0:
            return f"{figure(count // unit, 0)}{NBSP}{name}"
    value = float(count)
    for name in ("B", "kB", "MB", "GB"):
        if value < 999.95 or (name == "B" and count < 1000):
            return f"{figure(value, 0 if name == 'B' else 1)}{NBSP}{name}"
        value /= 1000
    return f"{figure(value, 1)}{NBSP}TB"


def short_hash(digest: str) -> str:
    return f"{digest[:6]}…{digest[-4:]}"
