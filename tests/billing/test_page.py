"""The payment page in its states: what it says, that it needs no script, that what is shown is what is copied."""

import re
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import timezone, translation

from billing import payments, sheet
from billing.forms import PaidNoticeForm
from billing.models import PaymentRequest, Rate
from billing.networks import NETWORKS
from billing.trail import Line
from billing.uris import payment_uri
from billing.wording import no_coin
from rental.models import User
from tests.billing.conftest import PRICE, Ask, arrive
from tests.billing.test_codes import needs_zbar, read_back


class Order:
    """As much of an order as the page wants."""

    code = "7Q4M-2X9F"
    total_cents = PRICE


@pytest.fixture
def real(settings: LazySettings) -> None:
    """Not a demo: what a customer of a working site sees."""
    settings.DEMO = False


def page(request: PaymentRequest, form: PaidNoticeForm | None = None, **facts: Any) -> str:
    shown = sheet.payment_sheet(request, facts.pop("now", timezone.now()), **facts)
    context = {"order": Order(), "sheet": shown, "form": form or PaidNoticeForm(), "demo": shown["demo"]}
    asked = RequestFactory().get("/orders/7Q4M-2X9F/pay")
    asked.user = request.customer  # type: ignore[assignment]
    return render_to_string("billing/pay.html", context, asked)


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def heading(html: str) -> str:
    found = re.search(r'<h2 id="state">(.*?)</h2>', html)
    assert found is not None
    return unescape(found[1])


def reached(html: str) -> list[str]:
    """The steps of the rail that are done."""
    start = html.index('<ol class="rail"')
    return re.findall(r'<li class="done".*?</svg>(.*?)</span>', html[start : html.index("</ol>", start)])


class Balanced(HTMLParser):
    """Fails on an element that is not closed where it should be."""

    VOID = ("meta", "link", "input", "br", "wbr", "path", "use", "circle", "img", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_asked_and_nothing_more(ask: Ask, real: None) -> None:
    request = ask()
    html = page(request)
    assert heading(html) == "We wait for 0.0144445 BTC on Bitcoin. We have seen nothing yet."
    assert reached(html) == []
    assert "Tell us I have paid" in html
    assert html.count("<h1") == 1
    assert "<title>Payment for order 7Q4M-2X9F – Kernodeck</title>" in html
    Balanced().feed(html)


def test_told(ask: Ask, real: None) -> None:
    request = ask()
    payments.note_paid(request)
    html = page(request)
    assert heading(html) == "You told us you paid. We have not seen the money yet."
    assert "Your notice is not proof of payment and moves nothing by itself." in html
    assert reached(html) == ["You told us"]
    assert "Add this id to my notice" in html
    assert 'class="status confirmed"' not in html  # nothing is green before it was confirmed


def test_told_with_an_id_shows_it_as_the_customers_claim(ask: Ask, real: None) -> None:
    request = ask()
    payments.note_paid(request, "ab" * 32)
    html = page(request)
    assert "ab" * 32 in html
    assert "<form" not in html[html.index('id="notice"') : html.index('id="known"')]


def test_seen(ask: Ask, real: None, olga: User) -> None:
    request = ask()
    arrive(request, request.due_units, confirmed=False, by=None)
    html = page(request)
    assert heading(html) == "Your money was seen on Bitcoin. It is not confirmed yet."
    assert reached(html) == ["Seen on Bitcoin"]
    assert "0.0144445 BTC seen, not confirmed" in text_of(html)
    assert "The network shows" in html
    assert 'class="qr"' not in html  # it is all there: nothing more is to be sent
    assert 'class="status confirmed"' not in html


def test_seen_by_an_operator_is_not_what_the_network_shows(ask: Ask, real: None, olga: User) -> None:
    request = ask()
    arrive(request, request.due_units, confirmed=False, by=olga)
    html = page(request)
    assert "An operator saw 0.0144445 BTC at this address on Bitcoin." in html
    assert "The network shows" not in html[html.index("<main") :]


def test_part_of_it_confirmed_asks_for_the_rest_only(ask: Ask, real: None, olga: User) -> None:
    request = ask()
    arrive(request, request.due_units // 3, by=olga)
    html = page(request)
    assert heading(html) == "Part of the money is confirmed. 866.67\u00a0USD are missing."
    facts = sheet.payment_sheet(request, timezone.now())
    assert (facts["amount"], facts["due"], facts["rest"]) == ("0.0096297", "0.0144445", True)
    assert "amount=0.0096297&" in facts["uri"]
    assert "433.33\u00a0USD credited to your balance" in html
    arrive(request, int(facts["amount"].replace("0.", "")) * 10, by=olga)
    request.refresh_from_db()
    assert request.state == "covered"


def test_all_confirmed_and_then_the_order_paid(ask: Ask, real: None, olga: User) -> None:
    request = ask()
    arrive(request, request.due_units, by=olga)
    request.refresh_from_db()
    html = page(request)
    assert heading(html) == "The whole amount is confirmed and on your balance."
    assert reached(html) == ["Seen on Bitcoin", "Confirmed by us"]
    now = timezone.now()
    html = page(request, paid_at=now, more=[Line("we", now, "Order paid for a test.")])
    assert heading(html) == "This order is paid."
    assert reached(html)[-1] == "Order paid"
    assert "Order paid for a test." in html
    assert "<form" not in html


def test_after_the_deadline_the_address_stays_and_the_code_goes(ask: Ask, real: None) -> None:
    request = ask()
    html = page(request, now=request.expires_at + timedelta(seconds=1))
    assert heading(html) == "This request is over. We have seen no money for it."
    assert "Already sent it? It will be credited. Do not send again." in text_of(html)
    assert request.address.address in html.replace("<wbr>", "").replace("<span>", "").replace("</span>", "").replace(
        "<b>", ""
    ).replace("</b>", "")
    assert 'class="qr"' not in html
    assert "bitcoin:" not in html
    assert "This time has passed." in html


def test_another_asset_is_named_and_not_counted(ask: Ask, real: None, olga: User) -> None:
    request = ask("ethereum", "USDC")
    arrive(request, 10**18, by=olga, asset="ETH")
    html = page(request)
    assert heading(html) == "We wait for 1300 USDC on Ethereum. We have seen nothing yet."
    assert "Something else arrived at this address too." in html
    assert "Send only USDC, and only on Ethereum." in html
    assert "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" in html


@needs_zbar
@pytest.mark.parametrize(
    ("network", "asset"),
    [("bitcoin", "BTC"), ("ethereum", "USDT"), ("tron", "USDT"), ("solana", "USDC"), ("monero", "XMR")],
)
def test_shown_copied_and_in_the_code_are_one(ask: Ask, real: None, tmp_path: Path, network: str, asset: str) -> None:
    request = ask(network, asset)
    facts = sheet.payment_sheet(request, timezone.now())
    html = page(request)
    shown = "".join(text for group in facts["address_groups"] for text, _marked in group)
    marked = "".join(text for group in facts["address_groups"] for text, marked in group if marked)
    address = request.address.address
    assert shown == facts["address"] == address
    assert marked == address[:6] + address[-6:]
    assert f'data-plain="{facts["amount"]}">{facts["amount"]} <small>' in html
    assert {'data-copy="#amount"', 'data-copy="#address"'} <= set(re.findall(r'data-copy="[^"]*"', html))
    assert re.sub(r"<[^>]*>", "", html.split('id="address">')[1].split("</dd>")[0]).strip() == address
    spec = NETWORKS[network]
    wanted = payment_uri(spec, spec.asset(asset), address, request.due_units, "Kernodeck 7Q4M-2X9F")
    assert read_back(facts["qr"], tmp_path / "uri.png") == wanted
    if network == "tron":
        assert (facts["uri"], facts["address_qr"]) == ("", None)
        assert "enter the amount yourself" in html
    else:
        assert facts["uri"] == wanted
        assert read_back(facts["address_qr"], tmp_path / "address.png") == address


@needs_zbar
@pytest.mark.parametrize("language", ["en", "tr"])
def test_a_demo_says_that_no_coin_may_be_sent_in_the_uris_place(
    ask: Ask, settings: LazySettings, tmp_path: Path, language: str
) -> None:
    settings.DEMO = True
    request = ask()
    with translation.override(language):
        facts = sheet.payment_sheet(request, timezone.now())
        html = page(request)
        sentence = no_coin()
    assert facts["uri"] == ""
    assert read_back(facts["qr"], tmp_path / "demo.png") == sentence
    assert "bitcoin:" not in html
    assert sentence in html
    assert "data-copy" not in html


@pytest.mark.parametrize("network", ["bitcoin", "monero"])
def test_the_page_needs_no_script_and_no_style_of_its_own(ask: Ask, real: None, network: str) -> None:
    html = page(ask(network, "BTC" if network == "bitcoin" else "XMR"))
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|javascript:|data:", html)
    assert all("src=" in script for script in re.findall(r"<script[^>]*>", html))
    assert re.findall(r'<button type="button"[^>]*>', html)
    assert all("hidden" in button for button in re.findall(r'<button type="button"[^>]*>', html))
    assert len(html.encode()) < 60_000


def test_the_number_of_queries_does_not_grow_with_receipts(
    ask: Ask, real: None, olga: User, django_assert_max_num_queries: Any
) -> None:
    request = ask()
    for _ in range(12):
        arrive(request, 1_000, by=olga)
    request = payments.requests_for(request.reference).get()
    with django_assert_max_num_queries(4):
        sheet.payment_sheet(request, timezone.now())


def test_a_refused_id_is_said_beside_its_field(ask: Ask, real: None) -> None:
    form = PaidNoticeForm({"transaction": "<script>x"})
    assert form.is_valid()
    form.add_error("transaction", "This is not a transaction id.")
    html = page(ask(), form)
    assert "<title>Error: Payment for order" in html
    assert 'role="alert"' in html
    assert "&lt;script&gt;x" in html
    assert "<script>x" not in html


@pytest.mark.parametrize(
    ("fee", "amount", "error"),
    [
        ("0.0005", "0.0149445", False),
        ("0,0005", "0.0149445", False),
        ("", "", False),
        ("5 %", "", True),
        ("-1", "", True),
        ("0.000000001", "", True),
    ],
)
def test_the_helper_for_an_exchanges_fee(ask: Ask, real: None, fee: str, amount: str, error: bool) -> None:
    facts = sheet.payment_sheet(ask(), timezone.now(), exchange_fee=fee)
    assert (facts["exchange_amount"], bool(facts["exchange_error"])) == (amount, error)


def test_the_customers_own_zone_stands_beside_utc(ask: Ask, customer: User, real: None) -> None:
    customer.time_zone = "Europe/Paris"
    customer.save()
    until = timezone.now().replace(year=2027, month=1, day=31, hour=21, minute=30)
    html = text_of(page(ask(until=until)))
    assert "31 Jan 2027, 21:30 UTC" in html
    assert "31 Jan 2027, 22:30 Europe/Paris, your time zone" in html


# ── choosing ──


def choose(network: str, **more: Any) -> str:
    context = sheet.choices(network, timezone.now(), PRICE) | {"order": Order()} | more
    return render_to_string("billing/choose_asset.html", context, RequestFactory().get("/orders/7Q4M-2X9F/pay"))


def test_the_network_comes_first(sources: None) -> None:
    html = choose("")
    assert 'name="network"' in html
    assert 'name="asset"' not in html
    assert "disabled" not in html
    Balanced().feed(html)


def test_then_its_assets_with_rate_and_amount(sources: None) -> None:
    html = choose("ethereum")
    assert re.findall(r'name="asset" value="(\w+)"', html) == ["ETH", "USDC", "USDT"]
    assert "0.433334 ETH" in html
    assert "1 ETH = 3,000.00 USD" in html
    assert "our example table" in html
    Balanced().feed(html)
    assert 'name="asset"' not in choose("no-such-network")


def test_what_is_off_stays_with_its_reason(sources: None) -> None:
    Rate.objects.filter(asset__in=["BTC", "USDC"]).delete()
    first = choose("")
    assert re.search(r'value="bitcoin" required disabled', first)
    assert "BTC is off: no rate is set." in first
    assert re.search(r'value="ethereum" required>', first)
    second = choose("ethereum")
    assert re.search(r'value="USDC" required disabled', second)
    assert "USDC is off: no rate is set." in second


def test_without_any_source_every_network_says_why(db: None, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(3):
        rows = sheet.choices("", timezone.now())["networks"]
    assert all("no receiving address is free" in str(row["off"]) for row in rows)
