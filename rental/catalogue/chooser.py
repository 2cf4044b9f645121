"""The chooser's page as values: what is on sale, what is chosen, and what it would cost. Reads, never writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Min
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import day, number
from rental.catalogue import stock
from rental.catalogue.prices import DAYS, cards_of, hours_of, total_cents
from rental.catalogue.stock import cards_on_sale
from rental.choosing.fits import Fit, Fits
from rental.forms import BACKENDS, PREPARATIONS, ChoiceForm
from rental.models import Card, Order, Price, Quote
from rental.orders import bought

DEFAULTS = {
    "card": "",
    "days": "7",
    "lots": "1",
    "preparation": "pytorch",
    "note": "",
    "backend": "",
    "memory": "",
    "libs": "",  # what the project shows
    "order": "",  # the unpaid order that the choice is to change
}
LONGEST = 600  # characters of one value worth keeping in an address


@dataclass(frozen=True)
class Offer:
    """One row of the catalogue: a card, its price for the term in view, and what speaks for or against it."""

    slug: str
    name: str
    title: str
    maker: str
    backend: str
    memory_gb: int | None
    cards_per_lot: int
    lots_free: int
    price_cents: int | None
    prices: Mapping[int, int]
    stock: str
    hints: list[str]
    fits: dict[str, Fit]
    fit: Fit

    @property
    def lot_holds(self) -> str:
        return bought.holds(self.backend, self.cards_per_lot)

    @property
    def sold_out(self) -> bool:
        return self.lots_free < 1 or not self.prices


@dataclass(frozen=True)
class Summary:
    """The server's own arithmetic for the choice in view."""

    term: str
    lots_text: str
    holds: str
    cards: int
    preparation: str
    unit_cents: int
    total_cents: int


@dataclass
class Page:
    form: ChoiceForm
    chosen: dict[str, str]
    offers: list[Offer]
    picked: Offer | None
    counted_at: datetime
    libraries: list[str] = field(default_factory=list)
    summary: Summary | None = None
    terms: list[dict[str, Any]] = field(default_factory=list)

    @property
    def query(self) -> str:
        """The choices as a query string. An emptied field is kept where leaving it out would fill it again."""
        return urlencode({name: text for name, text in self.chosen.items() if text or DEFAULTS[name]})

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "chosen": self.chosen,
            "offers": self.offers,
            "libraries": self.libraries,
            "picked": self.picked,
            "summary": self.summary,
            "terms": self.terms,
            "term_days": int(self.chosen["days"]) if self.chosen["days"] in {str(n) for n in DAYS} else 7,
            "counted_at": self.counted_at,
            "preparations": [{"slug": slug, "name": name, "what": what} for slug, name, what in PREPARATIONS],
            "backends": [{"slug": slug, "name": name, "what": what} for slug, name, what in BACKENDS],
        }


def read(
    data: Mapping[str, Any], now: datetime, *, held: str = "", changes: Order | None = None, reader: Any = None
) -> Page:
    """The page for what was chosen so far.

    `held` is the visitor's own quote and `changes` their unpaid order: what these hold counts as free for them.
    `reader` sees by name the runs that are theirs.
    """
    chosen = {name: str(data.get(name, usual))[:LONGEST] for name, usual in DEFAULTS.items()}
    form = ChoiceForm(chosen)
    form.full_clean()
    if "lots" not in data and not chosen["card"]:
        # A first look, not a form that was sent: there is nothing to correct yet.
        form.errors.pop("card", None)
    fits = Fits(chosen["libs"], form.cleaned_data.get("backend") or "", reader)
    offers = _offers(chosen, form, now, held, changes, fits)
    picked = next((offer for offer in offers if offer.slug == chosen["card"]), None)
    page = Page(form, chosen, offers, picked, now, fits.names)
    days = form.cleaned_data.get("days")
    page.terms = [
        {"days": n, "value": str(n), "hours": hours_of(n), "price_cents": picked.prices.get(n) if picked else None}
        for n in DAYS
    ]
    _check(page, days)
    lots = form.cleaned_data.get("lots")
    if picked and days and lots and picked.price_cents is not None:
        page.summary = _summary(picked, days, lots, chosen["preparation"])
    return page


def query_of(quote: Quote | Order) -> str:
    """The chooser's query that shows the choices of a quote or an order again."""
    choice = {
        "card": quote.card.slug,
        "days": quote.days,
        "lots": quote.lots,
        "preparation": quote.preparation,
        "note": quote.preparation_note,
    }
    return urlencode({name: value for name, value in choice.items() if value})


def _check(page: Page, days: int | None) -> None:
    """What a form cannot know alone: whether this card exists, has a price, and has so many lots free."""
    form, picked = page.form, page.picked
    if page.chosen["card"] and picked is None:
        form.add_error("card", _("This card is not on sale. Choose one of those below."))
    elif picked and days and picked.price_cents is None:
        form.add_error("days", _("%(card)s has no price for this term. Choose another term.") % {"card": picked.name})
    elif picked and picked.sold_out:
        form.add_error("card", _("%(card)s is sold out. Choose another card.") % {"card": picked.name})
    elif picked and form.cleaned_data.get("lots", 0) > picked.lots_free:
        form.add_error("lots", _too_many(picked))


def _too_many(offer: Offer) -> str:
    return ngettext(
        "Only %(count)s lot of %(card)s is free. Enter 1, or choose another card.",
        "Only %(count)s lots of %(card)s are free. Enter a smaller number, or choose another card.",
        offer.lots_free,
    ) % {"count": number(offer.lots_free), "card": offer.name}


def _summary(offer: Offer, days: int, lots: int, preparation: str) -> Summary:
    assert offer.price_cents is not None  # noqa: S101  (the only caller has looked)
    cards = cards_of(lots, offer.cards_per_lot)
    names = {slug: str(name) for slug, name, _what in PREPARATIONS}
    return Summary(
        term=bought.term(days),
        lots_text=f"{bought.lots(lots)} = {bought.holds(offer.backend, cards)}",
        holds=bought.holds(offer.backend, cards),
        cards=cards,
        preparation=names.get(preparation, ""),
        unit_cents=offer.price_cents,
        total_cents=total_cents(offer.price_cents, lots),
    )


def _offers(
    chosen: dict[str, str], form: ChoiceForm, now: datetime, held: str, changes: Order | None, fits: Fits
) -> list[Offer]:
    prices: dict[int, dict[int, int]] = {}
    for price in Price.objects.in_force(now):
        prices.setdefault(price.card_id, {})[price.days] = price.cents
    cards = list(cards_on_sale(now))
    own = stock.own_lots(held, changes, now)
    free = {card.pk: max(card.lots_free + own.get(card.pk, 0), 0) for card in cards}
    back = _due_back([pk for pk, lots in free.items() if lots < 1])
    days = form.cleaned_data.get("days") or 7
    wish = (form.cleaned_data.get("memory"), form.cleaned_data.get("preparation") or "ubuntu")
    return [
        _offer(card, free[card.pk], prices.get(card.pk, {}), days, back.get(card.pk), wish, fits.of(card))
        for card in cards
    ]


def _due_back(sold_out: list[int]) -> dict[int, datetime]:
    """When the first rented lot of each sold-out card is due back."""
    if not sold_out:
        return {}
    ends = Order.objects.filter(state=Order.State.DELIVERED, card__in=sold_out).order_by()
    return {row["card"]: row["first"] for row in ends.values("card").annotate(first=Min("ends_at"))}


def _offer(
    card: Card,
    free: int,
    prices: dict[int, int],
    days: int,
    back: datetime | None,
    wish: tuple[int | None, str],
    fits: dict[str, Fit],
) -> Offer:
    memory, preparation = wish
    return Offer(
        slug=card.slug,
        name=card.name,
        title=f"{card.name}, {bought.card_facts(card)}",
        maker=", ".join(part for part in (card.vendor, card.backend) if part),
        backend=card.backend,
        memory_gb=card.memory_gb,
        cards_per_lot=card.cards_per_lot,
        lots_free=free,
        price_cents=prices.get(days),
        prices=prices,
        stock=_stock(free, back, priced=bool(prices)),
        hints=_hints(card, memory),
        fits=fits,
        fit=fits[preparation],
    )


def _stock(free: int, back: datetime | None, *, priced: bool) -> str:
    if not priced:
        return _("Not for sale: it has no price at the moment.")
    if free:
        return ngettext("%(count)s lot free", "%(count)s lots free", free) % {"count": number(free)}
    if back:
        return _("Sold out. The next lot is due back on %(day)s.") % {"day": day(back)}
    return _("Sold out: every lot is rented or held by an open order.")


def _hints(card: Card, memory: int | None) -> list[str]:
    """What the memory asked for says about this card; it stays in the list all the same."""
    hints = []
    if memory and card.memory_gb and card.memory_gb < memory:
        hints.append(
            _("%(has)s GB is less than the %(needs)s GB you entered.")
            % {"has": number(card.memory_gb), "needs": number(memory)}
        )
    return hints
