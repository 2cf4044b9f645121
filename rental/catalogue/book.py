"""The catalogue: the example cards that ship with the site, and the act that sets a price."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.catalogue import stock
from rental.catalogue.prices import DAYS
from rental.models import Backend, Card, Price, StockChange, User


class Example(NamedTuple):
    """A card as shipped; prices are of one lot in cents for 3, 7 and 30 days."""

    slug: str
    name: str
    vendor: str
    backend: Backend
    memory_gb: int | None
    cards_per_lot: int
    lots: int
    cents: tuple[int, int, int]
    shares_host: bool = False


# Example prices, plainly marked as such on every page until an operator sets their own.
EXAMPLES = (
    Example("cpu", "CPU trial", "", Backend.CPU, None, 1, 50, (2_00, 4_00, 12_00), shares_host=True),
    Example("rtx-4090", "RTX 4090", "NVIDIA", Backend.CUDA, 24, 1, 24, (55_00, 115_00, 430_00)),
    Example("l40s", "L40S", "NVIDIA", Backend.CUDA, 48, 1, 16, (95_00, 205_00, 780_00)),
    Example("a100", "A100", "NVIDIA", Backend.CUDA, 80, 1, 16, (155_00, 330_00, 1_250_00)),
    Example("h100", "H100", "NVIDIA", Backend.CUDA, 80, 1, 16, (240_00, 520_00, 1_960_00)),
    Example("h200", "H200", "NVIDIA", Backend.CUDA, 141, 1, 12, (300_00, 650_00, 2_450_00)),
    Example("b200", "B200", "NVIDIA", Backend.CUDA, 180, 2, 12, (970_00, 2_100_00, 7_900_00)),
    Example("mi300x", "MI300X", "AMD", Backend.ROCM, 192, 1, 10, (275_00, 590_00, 2_220_00)),
)


@transaction.atomic
def load_examples(*, on_sale: bool = True) -> int:
    """Add the example cards that are missing, with their example prices; how many were added.

    A card that exists keeps its stock and its prices, whatever an operator made of them.

    Args:
        on_sale: whether the cards added are sold at once; a real site reviews their prices first.
    """
    added = 0
    for position, example in enumerate(EXAMPLES):
        card, made = Card.objects.get_or_create(
            slug=example.slug,
            defaults={
                "name": example.name,
                "vendor": example.vendor,
                "backend": example.backend,
                "memory_gb": example.memory_gb,
                "cards_per_lot": example.cards_per_lot,
                "lots": example.lots,
                "shares_host": example.shares_host,
                "position": position,
                "on_sale": on_sale,
            },
        )
        if made:
            added += 1
            Price.objects.bulk_create(
                Price(card=card, days=days, cents=cents, example=True)
                for days, cents in zip(DAYS, example.cents, strict=True)
            )
    return added


def set_price(card: Card, *, days: int, cents: int, by: User, valid_from: datetime | None = None) -> Price:
    """A new price from `valid_from` (now) on. Prices in the past stay as they were; so do quotes and orders.

    Raises:
        Refusal: `wrong_term`, `wrong_price`, `price_in_the_past` (422, at their field).
    """
    now = timezone.now()
    if type(days) is not int or days not in DAYS:
        raise Refusal("wrong_term", _("Choose a term of 3, 7 or 30 days."), status=422, field="days")
    if type(cents) is not int or not 0 < cents <= 100_000_000:
        raise Refusal("wrong_price", _("Enter a price from 0.01 to 1,000,000.00 USD."), status=422, field="cents")
    if valid_from is not None and valid_from < now:
        sentence = _("A price cannot begin in the past. Leave the time empty to begin now.")
        raise Refusal("price_in_the_past", sentence, status=422, field="valid_from")
    return Price.objects.create(card=card, days=days, cents=cents, valid_from=valid_from or now, set_by=by)


def set_stock(card: Card, *, lots: int, by: User, reason: str) -> Card:
    """How many lots there are in all, rented or not. Below what is rented, nothing more is sold and nothing taken.

    Raises:
        Refusal: `wrong_lots`, `reason_missing` (422, at their field).
    """
    if type(lots) is not int or not 0 <= lots <= 10_000:
        raise Refusal("wrong_lots", _("Enter a number of lots from 0 to 10,000."), status=422, field="lots")
    if not reason.strip():
        raise Refusal("reason_missing", _("Say why the stock changes."), status=422, field="reason")
    with transaction.atomic():
        card = stock.lock(card)
        StockChange.objects.create(card=card, old=card.lots, new=lots, by=by, reason=reason.strip()[:500])
        Card.objects.filter(pk=card.pk).update(lots=lots)
        card.lots = lots
        return card
