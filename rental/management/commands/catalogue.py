"""`manage.py catalogue`: load the example cards, set a price, change a stock, put a card on sale or take it off."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from common.refusals import Refusal
from rental.catalogue import book, stock
from rental.catalogue.prices import DAYS
from rental.models import Card, Price, User


class Command(BaseCommand):
    help = "Cards, prices and stock. A price is a new dated row: quotes and orders keep the one they were given."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="all cards, their free lots and the prices in force")
        acts.add_parser("load", help="add the example cards that are missing, at example prices")
        price = acts.add_parser("price", help="set a lot's price for a term, from now on")
        price.add_argument("card")
        price.add_argument("days", type=int, choices=DAYS)
        price.add_argument("usd", help="e.g. 520.00")
        lots = acts.add_parser("stock", help="set how many lots there are, rented or not")
        lots.add_argument("card")
        lots.add_argument("lots", type=int)
        lots.add_argument("--reason", required=True)
        for act in (price, lots):
            act.add_argument("--by", required=True, metavar="EMAIL", help="the operator who decides it")
        for name in ("sell", "withdraw"):
            acts.add_parser(name, help=f"{name} a card").add_argument("card")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"do_{options['act']}")(options)
        except Refusal as refusal:
            raise CommandError(str(refusal.sentence)) from None

    def do_list(self, options: dict[str, Any]) -> None:
        now = timezone.now()
        for card in stock.cards(now):
            prices = Price.objects.in_force(now).filter(card=card).order_by("days")
            words = [f"{p.days}d {Decimal(p.cents) / 100:.2f}{' (example)' if p.example else ''}" for p in prices]
            sold = "" if card.on_sale else "off sale; "
            free = f"{card.lots_free} of {card.lots} lots free"
            self.stdout.write(f"{card.slug}: {sold}{free}; USD {', '.join(words) or '-'}")

    def do_load(self, options: dict[str, Any]) -> None:
        # A real site reviews the prices first, then sells: an example price is nobody's decision.
        added = book.load_examples(on_sale=not settings.PRODUCTION)
        self.stdout.write(f"{added} cards added{', off sale: set prices, then `sell` each' * settings.PRODUCTION}")

    def do_price(self, options: dict[str, Any]) -> None:
        price = book.set_price(
            self.card(options), days=options["days"], cents=cents_of(options["usd"]), by=self.operator(options)
        )
        self.stdout.write(f"{price.card.slug}, {price.days} days: {Decimal(price.cents) / 100:.2f} USD a lot from now")

    def do_stock(self, options: dict[str, Any]) -> None:
        by, reason = self.operator(options), options["reason"]
        card = book.set_stock(self.card(options), lots=options["lots"], by=by, reason=reason)
        self.stdout.write(f"{card.slug}: {card.lots} lots")

    def do_sell(self, options: dict[str, Any]) -> None:
        self.put_on_sale(self.card(options), True)

    def do_withdraw(self, options: dict[str, Any]) -> None:
        self.put_on_sale(self.card(options), False)

    def put_on_sale(self, card: Card, on_sale: bool) -> None:
        Card.objects.filter(pk=card.pk).update(on_sale=on_sale)
        self.stdout.write(f"{card.slug} is {'on' if on_sale else 'off'} sale")

    def card(self, options: dict[str, Any]) -> Card:
        card = Card.objects.filter(slug=options["card"]).first()
        if card is None:
            known = ", ".join(Card.objects.values_list("slug", flat=True)) or "none: run `manage.py catalogue load`"
            raise CommandError(f"No card is called {options['card']!r}. Cards: {known}.")
        return card

    def operator(self, options: dict[str, Any]) -> User:
        user = User.objects.filter(email__iexact=options["by"], is_staff=True, is_active=True).first()
        if user is None:
            raise CommandError(f"No operator has the email {options['by']!r}. See `manage.py operator --help`.")
        return user


def cents_of(text: str) -> int:
    """USD as typed, in whole cents."""
    try:
        cents = Decimal(text) * 100
    except InvalidOperation:
        cents = Decimal("NaN")
    if not cents.is_finite() or cents != int(cents):
        raise CommandError(f"{text!r} is not an amount in USD. Write it like 520.00.")
    return int(cents)
