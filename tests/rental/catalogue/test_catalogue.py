"""The catalogue: examples, dated prices, stock with a reason, and no production on examples."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from common.refusals import Refusal
from rental import checks
from rental.catalogue.book import load_examples, set_price, set_stock, stock
from rental.models import Card, Price, StockChange, User
from rental.orders import ordering


def test_the_examples_are_loaded_once_and_marked(db: None) -> None:
    assert load_examples() == 8
    assert load_examples() == 0
    assert Price.objects.filter(example=True).count() == Price.objects.count() == 24
    two = {card.slug: card.cards_per_lot for card in Card.objects.exclude(cards_per_lot=1)}
    assert two == {"b200": 2}
    assert set(Card.objects.filter(backend="rocm").values_list("slug", flat=True)) == {"mi300x"}


def test_loading_again_keeps_what_an_operator_made(catalogue: dict[str, Card], staff: User) -> None:
    set_price(catalogue["cpu"], days=3, cents=5_00, by=staff)
    set_stock(catalogue["cpu"], lots=2, by=staff, reason="one machine only")
    load_examples()
    now = timezone.now()
    assert Price.objects.in_force(now).get(card__slug="cpu", days=3).cents == 5_00
    assert Card.objects.get(slug="cpu").lots == 2
    change = StockChange.objects.get()
    assert (change.old, change.new, change.by, change.reason) == (50, 2, staff, "one machine only")
    with pytest.raises(DatabaseError), transaction.atomic():
        StockChange.objects.update(new=3)


def test_a_price_may_begin_later_and_not_earlier(catalogue: dict[str, Card], staff: User) -> None:
    card, now = catalogue["h100"], timezone.now()
    set_price(card, days=7, cents=1_00, by=staff, valid_from=now + timedelta(days=1))
    prices = Price.objects.filter(card=card, days=7)
    assert prices.in_force(now).get().cents == 520_00
    assert prices.in_force(now + timedelta(days=1)).get().cents == 1_00
    with pytest.raises(Refusal, match="price_in_the_past"):
        set_price(card, days=7, cents=1_00, by=staff, valid_from=now - timedelta(seconds=1))


@pytest.mark.parametrize("cents", [0, -1, 1.0, True, "5", 100_000_001])
def test_a_price_is_whole_cents_above_zero(catalogue: dict[str, Card], staff: User, cents: Any) -> None:
    with pytest.raises(Refusal, match="wrong_price"):
        set_price(catalogue["h100"], days=7, cents=cents, by=staff)


def test_less_stock_than_rented_sells_nothing_and_takes_nothing(
    catalogue: dict[str, Card], customer: User, staff: User
) -> None:
    order = ordering.place(customer, ordering.quote(customer, card="h100", days=3, lots=3, preparation="ubuntu").pk)
    set_stock(order.card, lots=1, by=staff, reason="broken hosts")
    assert stock.free_lots(order.card, timezone.now()) == -2
    with pytest.raises(Refusal) as refused:
        ordering.quote(customer, card="h100", days=3, lots=1, preparation="ubuntu")
    assert refused.value.data["lots_free"] == 0
    order.refresh_from_db()
    assert order.state == "placed"


def test_a_real_site_sells_no_example_before_its_price_is_set(db: None, settings: Any, capsys: Any) -> None:
    settings.PRODUCTION = True
    call_command("catalogue", "load")
    assert not Card.objects.on_sale().exists()
    assert checks.found() == []
    call_command("catalogue", "list")
    assert "b200: off sale; 12 of 12 lots free" in capsys.readouterr().out


def test_a_withdrawn_card_is_not_sold(catalogue: dict[str, Card], customer: User) -> None:
    call_command("catalogue", "withdraw", "h100")
    assert "h100" not in {card.slug for card in stock.cards_on_sale(timezone.now())}
    with pytest.raises(Refusal, match="unknown_card"):
        ordering.quote(customer, card="h100", days=3, lots=1, preparation="ubuntu")


def test_production_does_not_start_on_examples(catalogue: dict[str, Card], settings: Any) -> None:
    staff = User.objects.create_user("ana@kernodeck.test", "x", is_staff=True)
    Card.objects.filter(slug="h100").update(on_sale=False)  # not sold: its price may wait
    assert checks.nothing_of_a_demonstration(None, databases=["default"]) == []
    settings.PRODUCTION = True
    assert [error.id for error in checks.nothing_of_a_demonstration(None, databases=["default"])] == ["rental.E101"]
    assert "h100" not in checks.found()[0].msg
    for card in catalogue.values():
        for days in (3, 7, 30):
            set_price(card, days=days, cents=7_77, by=staff)
    assert checks.found() == []
    User.objects.create_user("customer@example.org", "x")
    assert [error.id for error in checks.found()] == ["rental.E102"]


def test_the_command_says_what_is_wrong(catalogue: dict[str, Card], staff: User, capsys: Any) -> None:
    call_command("catalogue", "price", "b200", "7", "2345.50", "--by", staff.email)
    call_command("catalogue", "list")
    assert "b200: 12 of 12 lots free; USD 3d 970.00 (example), 7d 2345.50, 30d" in capsys.readouterr().out
    for wrong in (
        ["price", "b300", "7", "1", "--by", staff.email],
        ["price", "b200", "8", "1", "--by", staff.email],
        ["price", "b200", "7", "1.234", "--by", staff.email],
        ["price", "b200", "7", "0", "--by", staff.email],
        ["price", "b200", "7", "NaN", "--by", staff.email],
        ["price", "b200", "7", "1", "--by", "nobody@example.org"],
        ["stock", "b200", "-1", "--by", staff.email, "--reason", "x"],
        ["stock", "b200", "1", "--by", staff.email, "--reason", " "],
    ):
        with pytest.raises(CommandError):
            call_command("catalogue", *wrong)
