"""The memory worksheet as a page shows it: parts with formula and source, and every card on sale beside the sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common.formats import NBSP, size
from rental.catalogue.stock import cards_on_sale
from rental.choosing import memory_words as words
from rental.choosing.carried import carried
from rental.choosing.memory_form import MemoryForm
from rental.choosing.worksheet import GB, METHODS, SOURCES, Part, Worksheet, verdict, whole_gb

Text = str | Promise
# The chooser's own field takes no more; a sum above it is above every card anyway.
MOST_GB = 100_000
LONGEST = 600  # characters of a worksheet's query


@dataclass(frozen=True)
class Line:
    name: Text
    amount: str
    formula: str
    why: Text
    source: Text
    url: str


@dataclass(frozen=True)
class CardLine:
    name: str
    memory_gb: int
    sentence: str


@dataclass
class Page:
    method: str
    form: MemoryForm
    methods: list[dict[str, Any]]
    kept: dict[str, str]  # the chooser's own choices, which travel along
    sheet: Worksheet | None = None
    lines: list[Line] | None = None
    cards: list[CardLine] | None = None
    unknown: list[Text] | None = None

    @property
    def amount(self) -> str:
        return between(self.sheet.low, self.sheet.high) if self.sheet else ""

    @property
    def gb(self) -> int:
        return whole_gb(self.sheet.high) if self.sheet else 0

    @property
    def chooser(self) -> str:
        """The chooser with the upper end as the memory asked for; empty when its field cannot hold it."""
        return f"?{urlencode(self.kept | {'memory': str(self.gb)})}" if 0 < self.gb <= MOST_GB else ""

    @property
    def objective(self) -> str:
        """The worksheet's own query: whoever takes the estimate computes it again. Empty past what a row holds."""
        entered = urlencode({"method": self.method} | self.entered)
        return entered if self.sheet and self.sheet.high < 2**63 and len(entered) <= LONGEST else ""

    @property
    def entered(self) -> dict[str, str]:
        return {name: str(self.form.data.get(name, "")) for name in self.form.fields}


def read(data: Mapping[str, Any], now: datetime) -> Page:
    method = str(data.get("method", ""))
    method = method if method in METHODS else METHODS[0]
    kept = carried(data)
    methods = [
        {
            "slug": slug,
            "name": words.METHODS[slug][0],
            "what": words.METHODS[slug][1],
            "query": urlencode({"method": slug} | kept),
        }
        for slug in METHODS
    ]
    page = Page(method, MemoryForm(method, data), methods, kept)
    if page.form.sent and page.form.is_valid():
        page.sheet = page.form.worksheet
        page.lines = [_line(part) for part in page.sheet.parts]
        page.cards = _cards(page.sheet, now)
        page.unknown = [words.UNKNOWN[code] for code in page.sheet.unknown]
    return page


def between(low: int, high: int) -> str:
    """A range in one unit where both ends share it: `16.1 – 17.4 GB`."""
    least, most = size(low), size(high)
    if least == most:
        return least
    if least.rsplit(NBSP, 1)[-1] == most.rsplit(NBSP, 1)[-1]:
        least = least.rsplit(NBSP, 1)[0]
    return f"{least}{NBSP}–{NBSP}{most}"


def _line(part: Part) -> Line:
    source, url = SOURCES[part.source]
    why: Text = words.WHY[part.why] if part.why else ""
    return Line(words.PARTS[part.code], between(part.low, part.high), part.formula, why, source or words.OURS, url)


def _cards(sheet: Worksheet, now: datetime) -> list[CardLine]:
    cards = [card for card in cards_on_sale(now) if card.memory_gb]
    return [CardLine(card.name, card.memory_gb or 0, _sentence(sheet, (card.memory_gb or 0) * GB)) for card in cards]


def _sentence(sheet: Worksheet, memory: int) -> str:
    side, least, most = verdict(sheet, memory)
    if side == "below":
        return _("below the card’s memory by %(by)s, unmeasured") % {"by": between(least, most)}
    if side == "above":
        return _("above the card’s memory by %(by)s") % {"by": between(least, most)}
    return _("the range spans the card’s memory: only a run tells")
