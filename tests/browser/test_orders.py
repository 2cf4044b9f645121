"""An order is changed before it is paid, then cancelled with its price back; its papers print on one sheet each."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.house import House
from tests.browser.people import press, sign_in
from tests.browser.test_walk import balance, cents, choose, code_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LANGUAGES = ("en", "fr", "es", "pt-br", "tr")


@pytest.fixture(params=[("en", 1280, True), ("tr", 360, False)], ids=["en-wide", "tr-narrow-no-script"])
def page(request: pytest.FixtureRequest, browser: Browser, house: House) -> Iterator[Page]:
    language, width, scripts = request.param
    size = {"width": width, "height": 800}
    context = browser.new_context(base_url=house.url, viewport=size, java_script_enabled=scripts)  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    page = context.new_page()
    sign_in(page, house.demo["customer"])
    context.add_cookies([{"name": "django_language", "value": language, "url": house.url}])
    yield page
    context.close()


def pages_of(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4", prefer_css_page_size=True)))


def test_changed_then_paid_then_cancelled_with_the_money_back(page: Page) -> None:
    before = balance(page)
    choose(page, "cpu", 3, 1, "ubuntu")
    press(page)
    old = code_of(page)
    page.goto(f"/orders/{old}")
    page.locator(f"main .acts a[href*='order={old}']").click()
    page.check("[name=days][value='7']")
    press(page, "main .stub button.primary")
    press(page)
    new = code_of(page)
    assert new != old
    page.goto(f"/orders/{old}")
    assert page.locator(f"main .state a[href='/orders/{new}']").count() == 1
    page.goto(f"/orders/{new}/pay/balance")
    total = cents(page.locator("main button.primary").inner_text())
    press(page)
    assert balance(page) == before - total
    page.goto(f"/orders/{new}")
    page.locator("main a[href$='/cancel']").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {"width": 0})["width"]
    press(page)
    assert balance(page) == before
    for language in LANGUAGES:
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url.split("/account")[0]}])
        for paper in ("confirmation", "receipt"):
            page.goto(f"/orders/{new}/{paper}")
            assert pages_of(page) == 1, (language, paper)
        page.goto("/account/")
