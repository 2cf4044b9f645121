"""The chooser and the check page: what was typed stays, what cannot be quoted says why, figures are the server's."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from rental.models import Card, Order, Quote, User
from rental.orders import ordering
from tests.rental.pages import hidden, signed_in, text_of, title_of

pytestmark = pytest.mark.django_db
CHOICE = {"card": "b200", "days": "7", "lots": "2", "preparation": "pytorch"}


@pytest.fixture(autouse=True)
def cards(catalogue: dict[str, Card]) -> dict[str, Card]:
    return catalogue


def rent(client: Client, **choice: str) -> Any:
    return client.get("/rent/?" + urlencode(choice))


def check(client: Client, **choice: str) -> Any:
    return client.post("/rent/check", CHOICE | choice)


def test_first_look_offers_every_card_and_corrects_nothing(client: Client) -> None:
    page = rent(client)
    words = text_of(page)
    assert page.status_code == 200
    assert "Error" not in title_of(page)
    for name in ("H100", "H200", "B200", "A100", "L40S", "RTX 4090", "MI300X", "CPU trial"):
        assert name in words
    assert "180 GB each, 2 cards a lot" in words
    assert 'role="alert"' not in page.content.decode()


def test_total_is_price_times_lots_and_never_times_cards(client: Client) -> None:
    words = text_of(rent(client, **CHOICE))
    assert "2 lots = 4 cards" in words
    assert "Check this order – 4,200.00 USD" in words
    assert "8,400.00" not in words


@pytest.mark.parametrize("lots", ["0", "11", "-1", "1.5", "1e1", "٣", "", "1 0", "2_0", "+2", "0x2", "999999999999"])
def test_wrong_lots_are_refused_and_kept(client: Client, lots: str) -> None:
    answer = check(client, lots=lots)
    assert answer["Location"].startswith("/rent/?")
    page = client.get(answer["Location"])
    assert "Enter a number of lots from 1 to 10." in text_of(page)
    assert title_of(page).startswith("Error:")
    assert Quote.objects.count() == 0
    if lots:
        assert f'value="{lots}"' in page.content.decode()


@pytest.mark.parametrize("days", ["1", "8", "7.0", "seven", "-7", "٧"])
def test_wrong_terms_are_refused(client: Client, days: str) -> None:
    page = client.get(check(client, days=days)["Location"])
    assert "Choose a term: 3, 7 or 30 days." in text_of(page)
    assert Quote.objects.count() == 0


def test_what_the_browser_says_of_prices_is_not_heard(client: Client) -> None:
    answer = client.post(
        "/rent/check", CHOICE | {"total_cents": "1", "unit_price_cents": "1", "cards": "40", "price": "0"}
    )
    quote = Quote.objects.get()
    assert answer["Location"] == f"/rent/check/{quote.pk}"
    assert (quote.unit_price_cents, quote.total_cents, quote.cards) == (2_100_00, 4_200_00, 4)


def test_of_repeated_keys_one_counts(client: Client) -> None:
    body = urlencode([("card", "b200"), ("days", "7"), ("lots", "9"), ("lots", "2"), ("preparation", "pytorch")])
    client.post("/rent/check", body, content_type="application/x-www-form-urlencoded")
    assert Quote.objects.get().lots == 2


def test_unknown_card_custom_without_words_and_unknown_preparation(client: Client) -> None:
    assert "This card is not on sale." in text_of(rent(client, **CHOICE | {"card": "gtx"}))
    assert "Describe what you would like to find" in text_of(rent(client, **CHOICE | {"preparation": "custom"}))
    assert "Choose a preparation." in text_of(rent(client, **CHOICE | {"preparation": "windows"}))


def test_everything_typed_survives_a_failed_form(client: Client) -> None:
    typed = {
        "card": "h100",
        "lots": "12",
        "preparation": "custom",
        "note": "ffmpeg <7> & CUDA",
        "memory": "x",
        "backend": "rocm",
    }
    page = client.get(check(client, **typed)["Location"])
    html = page.content.decode()
    for name, value in (("card", "h100"), ("days", "7"), ("preparation", "custom"), ("backend", "rocm")):
        assert f'name="{name}" value="{value}" checked' in html
    assert "ffmpeg &lt;7&gt; &amp; CUDA</textarea>" in html
    assert 'value="12"' in html
    assert 'value="x"' in html


def test_sold_out_stays_visible_with_its_reason_and_is_not_chosen(
    client: Client, cards: dict[str, Card], deliver: Any
) -> None:
    Card.objects.filter(slug="h100").update(lots=1)
    order = deliver(card="h100", lots=1)
    page = rent(client, **CHOICE | {"card": "h100", "lots": "1"})
    words = text_of(page)
    assert "Sold out. The next lot is due back on" in words
    assert f"{order.ends_at:%-d} " in words
    assert "H100 is sold out. Choose another card." in words
    assert 'value="h100" checked disabled' in page.content.decode()
    assert check(client, card="h100", lots="1")["Location"].startswith("/rent/?")


def test_more_lots_than_free_is_said_not_lowered(client: Client) -> None:
    Card.objects.filter(slug="b200").update(lots=1)
    page = rent(client, **CHOICE)
    assert "Only 1 lot of B200 is free." in text_of(page)
    assert 'name="lots" inputmode="numeric" autocomplete="off" value="2"' in page.content.decode()


def test_backend_and_memory_mark_cards_and_hide_none(client: Client) -> None:
    words = text_of(rent(client, backend="cuda", memory="100"))
    assert "Your program is built for CUDA: look at its ROCm support first" in words
    assert "80 GB is less than the 100 GB you entered." in words
    assert "180 GB is less" not in words
    assert words.count("lots free") == 8
    assert "it needs its CUDA build here" in text_of(rent(client, backend="rocm"))


def test_change_brings_back_the_same_choices_and_the_held_lots(client: Client) -> None:
    Card.objects.filter(slug="b200").update(lots=2)
    answer = check(client, backend="cuda", memory="96")
    page = client.get(answer["Location"])
    html = page.content.decode()
    assert "backend=cuda" in answer["Location"]
    assert "/rent/?card=b200&amp;days=7&amp;lots=2&amp;preparation=pytorch&amp;backend=cuda&amp;memory=96#term" in html
    # One's own quote does not make the card sold out for oneself; for others it does.
    assert "2 lots free" in text_of(rent(client, **CHOICE))
    assert "Sold out" in text_of(rent(Client(), **CHOICE))
    again = check(client, lots="1")
    assert again["Location"].startswith("/rent/check/")
    assert Quote.objects.holding(timezone.now()).count() == 1


def test_language_switch_keeps_the_choices(client: Client) -> None:
    answer = client.get("/rent/?" + urlencode(CHOICE | {"language": "fr"}))
    assert answer["Location"] == "/rent/?" + urlencode(CHOICE)


def test_check_page_for_a_visitor_leads_to_an_account_and_back(client: Client, customer: User) -> None:
    where = check(client)["Location"]
    page = client.get(where)
    words = text_of(page)
    assert "Nothing is charged now." in words
    assert "Place order –" not in words
    assert f"/accounts/signup/?next={where.replace('/', '%2F')}" in page.content.decode()
    # Posting without an account places nothing.
    client.post(where, {"form_id": "x"})
    assert Order.objects.count() == 0
    # After signing in the quote is theirs; a stranger who knows its address no longer sees it.
    client.force_login(customer, "allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(where)
    assert "Place order – 4,200.00 USD" in text_of(page)
    client.post(where, {"form_id": hidden(page, "form_id")})
    assert Order.objects.get().customer == customer
    assert client.get(where)["Location"] == f"/orders/{Order.objects.get().code}"


def test_a_quote_of_another_customer_is_not_found(customer: User, stranger: User) -> None:
    quote = ordering.quote(customer, card="b200", days=7, lots=2, preparation="pytorch")
    assert signed_in(stranger).get(f"/rent/check/{quote.pk}").status_code == 404
    assert signed_in(stranger).post(f"/rent/check/{quote.pk}", {}).status_code == 404
    assert Client().get(f"/rent/check/{quote.pk}").status_code == 404


def test_an_old_quote_says_so_and_leads_back(customer: User) -> None:
    client = signed_in(customer)
    where = check(client)["Location"]
    Quote.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = client.get(where)
    assert "This choice is no longer held." in text_of(page)
    assert "Place order –" not in text_of(page)
    refused = client.post(where, {"form_id": "abc"})
    assert refused.status_code == 409
    assert "This quote is over." in text_of(refused)
    assert title_of(refused).startswith("Error:")


def test_the_same_form_twenty_times_is_one_order(customer: User) -> None:
    client = signed_in(customer)
    where = check(client)["Location"]
    form = {"form_id": hidden(client.get(where), "form_id")}
    answers = {client.post(where, form)["Location"] for _ in range(20)}
    code = Order.objects.get().code
    assert answers == {f"/orders/{code}/pay", f"/orders/{code}"}


def test_balance_is_offered_only_when_it_covers_everything(customer: User, put: Any) -> None:
    client = signed_in(customer)
    where = check(client)["Location"]
    assert "From your balance" not in text_of(client.get(where))
    put(customer, 4_199_99)
    assert "does not cover the whole order" in text_of(client.get(where))
    put(customer, 1)
    assert "From your balance 4,200.00 USD" in text_of(client.get(where))


def test_nobody_holds_the_stock_from_one_place_without_an_account(catalogue: Any, customer: User) -> None:
    choice = {"card": "cpu", "days": "3", "lots": "1", "preparation": "ubuntu"}
    answers = [Client().post("/rent/check", choice)["Location"] for _browser in range(13)]
    assert ["/rent/check/" in where for where in answers] == [True] * 12 + [False]
    assert Quote.objects.count() == 12
    assert "/rent/check/" in signed_in(customer).post("/rent/check", choice)["Location"]
