"""Copy buttons of the payment page as a working site shows it (a demo has none): what arrives in the clipboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route

from billing.forms import PaidNoticeForm
from billing.sheet import address_groups

ADDRESS = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
AMOUNT = "0.01234567"
SITE = "http://localhost:9"  # nothing listens there: every answer is made here; a clipboard wants a secure context


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    now = timezone.now()
    sheet = {
        "asks": True, "demo": False, "state": "paid", "shape": "told", "amount": AMOUNT, "asset": "BTC",
        "address": ADDRESS, "address_groups": address_groups(ADDRESS), "amount_cents": 100, "expires_at": now,
        "rate_at": now, "now": now,
    }  # fmt: skip
    order = type("Order", (), {"code": "7Q4M-2X9F", "total_cents": 100})
    html = render_to_string("billing/pay.html", {"order": order, "sheet": sheet, "form": PaidNoticeForm()})
    script = Path(settings.BASE_DIR) / "rental/static/js/page.js"

    def answer(route: Route) -> None:
        if route.request.url == f"{SITE}/":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif "js/page" in route.request.url:
            route.fulfill(path=script, content_type="text/javascript")
        else:
            route.fulfill(status=404)

    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    page.route("**/*", answer)
    page.goto(SITE)
    yield page
    context.close()


def test_amount_and_address_are_copied_as_a_wallet_takes_them(page: Page) -> None:
    for name, wanted in (("the amount", AMOUNT), ("the address", ADDRESS)):
        button = page.get_by_role("button", name=f"Copy {name}")
        button.click()
        page.get_by_role("button", name=f"Copied {name}").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == wanted
        assert page.locator("#announce").text_content() == "Copied"


def test_the_button_says_copy_again_even_after_two_clicks(page: Page) -> None:
    page.get_by_role("button", name="Copy the address").dblclick()
    page.get_by_role("button", name="Copied the address").wait_for()
    again = page.get_by_role("button", name="Copy the address")
    again.wait_for(timeout=6_000)
    assert again.locator(".vh").count() == 1
