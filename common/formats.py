"""Figures for readers: money, numbers and times in the reader's format; amounts to copy in plain ASCII."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_datetime
from babel.numbers import format_decimal
from django.utils import translation

NBSP = "\u00a0"


def locale() -> Locale:
    """Babel's locale for the language in force (`pt-br` → `pt_BR`)."""
    return Locale.parse((translation.get_language() or "en").replace("-", "_").replace("_br", "_BR"))


def usd(cents: int) -> str:
    """USD cents as the reader writes money, code last: `1,300.00 USD`, `1.300,00 USD`."""
    return f"{format_decimal(Decimal(cents) / 100, '#,##0.00', locale=locale())}{NBSP}USD"


def number(value: int | float | Decimal, digits: int | None = None) -> str:
    """A number in the reader's format, with `digits` decimals when given."""
    pattern = "#,##0" if digits == 0 else f"#,##0.{'0' * digits}" if digits else "#,##0.###"
    return str(format_decimal(value, pattern, locale=locale()))


def percent(share: float, digits: int = 1) -> str:
    """A share of one as a percentage, the sign where the language puts it."""
    figure = number(share * 100, digits)
    code = locale().language
    return f"%{figure}" if code == "tr" else f"{figure}{NBSP}%" if code in ("fr", "es") else f"{figure}%"


def coin(units: int, decimals: int) -> str:
    """An integer of a coin's smallest unit as a plain decimal string, the same in every language: `0.014249`."""
    whole, rest = divmod(units, 10**decimals)
    tail = f"{rest:0{decimals}d}".rstrip("0") if decimals else ""
    return f"{whole}.{tail}" if tail else str(whole)


def when(moment: datetime, zone: str = "UTC", *, seconds: bool = False) -> str:
    """An absolute time with its zone: `30 Nov 2026, 21:30 UTC`."""
    at = moment.astimezone(UTC if zone == "UTC" else ZoneInfo(zone))
    pattern = "d MMM y, HH:mm:ss" if seconds else "d MMM y, HH:mm"
    return f"{format_datetime(at, pattern, locale=locale())} {'UTC' if zone == 'UTC' else zone}"


def day(moment: datetime) -> str:
    return str(format_datetime(moment.astimezone(UTC), "d MMM y", locale=locale()))


def clock(moment: datetime, *, seconds: bool = False) -> str:
    return f"{moment.astimezone(UTC):%H:%M:%S} UTC" if seconds else f"{moment.astimezone(UTC):%H:%M} UTC"


def span(duration: timedelta | float) -> str:
    """A duration in short units that all five languages read: `6 min 41 s`, `0.4 s`, `2 h 05 min`."""
    total = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if total < 10:
        return f"{number(round(total, 1), 1)}{NBSP}s"
    whole = round(total)
    if whole < 60:
        return f"{whole}{NBSP}s"
    minutes, seconds = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}{NBSP}min {seconds:02d}{NBSP}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}{NBSP}h {minutes:02d}{NBSP}min"


def size(count: int) -> str:
    """Bytes in decimal units: `2.4 MB`."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{number(value, 0 if unit == 'B' else 1)}{NBSP}{unit}"
        value /= 1000
    return f"{number(value, 1)}{NBSP}TB"


def short_hash(digest: str) -> str:
    return f"{digest[:6]}…{digest[-4:]}"
