"""A real Chromium before a server in this process: tests turn the clock and prepare orders by the house's own acts.

`KERNODECK_SHOTS=DIR` keeps a picture of every page that is looked at.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, sync_playwright

from rental.models import User
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.rental.conftest import (  # noqa: F401 (fixtures)
    catalogue,
    customer,
    deliver,
    fresh_cache,
    paid,
    place,
    put,
    staff,
    stranger,
)
from tests.rental.pages import at_desk, signed_in

# Every language meets both widths, every width both ways of scripts, every language both ways of scripts.
VIEWS = [("fr", 360, False), ("fr", 1280, True), ("tr", 1280, False), ("tr", 360, True)]
SMALLEST = 24  # CSS pixels of a target, WCAG 2.2 AA (2.5.8); links in a sentence are excepted


@dataclass
class Walker:
    """A person with a browser in one language and width; each page looked at is checked."""

    page: Page
    url: str
    language: str
    width: int
    scripts: bool
    name: str
    seen: list[str] = field(default_factory=list)

    def be(self, user: User | None, *, desk: bool = False) -> "Walker":
        """Sign in by the session's cookie; an operator's has passed the second factor."""
        self.page.context.clear_cookies()
        cookies = [{"name": "django_language", "value": self.language, "url": self.url}]
        if user is not None:
            client: Client = at_desk(user) if desk else signed_in(user)
            cookies.append({"name": "sessionid", "value": client.cookies["sessionid"].value, "url": self.url})
        self.page.context.add_cookies(cookies)  # type: ignore[arg-type]
        return self

    def go(self, path: str) -> Page:
        answer = self.page.goto(path)
        assert answer is not None
        assert answer.status < 400, f"{path}: {answer.status}"
        return self.look()

    def press(self, selector: str = "main button.primary") -> Page:
        with self.page.expect_navigation():
            self.page.locator(selector).first.click()
        return self.look()

    def look(self) -> Page:
        """What every page owes its reader, whatever it is about."""
        page = self.page
        assert page.locator("html").get_attribute("lang") == self.language, page.url
        assert page.title().strip(), page.url
        wide = page.evaluate("document.documentElement.scrollWidth") if self.scripts else self._width_without_scripts()
        assert wide <= self.width, f"{page.url} is {wide} wide"
        if folder := os.environ.get("KERNODECK_SHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            slug = re.sub(r"[^a-z0-9]+", "-", page.url.removeprefix(self.url).lower()).strip("-")[:50]
            kind = f"{self.language}-{self.width}-{'js' if self.scripts else 'plain'}"
            page.screenshot(path=f"{folder}/{self.name}-{len(self.seen):02d}-{slug}-{kind}.png", full_page=True)
        self.seen.append(page.url)
        return page

    def _width_without_scripts(self) -> int:
        box = self.page.locator("body").bounding_box()
        return int(box["width"]) if box else 0

    def axe(self) -> None:
        """Nothing serious or critical on this page; only where scripts run, for axe is one."""
        if not self.scripts:
            return
        found = Axe().run(self.page).response["violations"]
        bad = [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found
               if one["impact"] in ("serious", "critical")]  # fmt: skip
        assert not bad, (self.page.url, bad)

    def targets(self) -> None:
        """Buttons, fields and links that stand alone are large enough for a finger."""
        for one in self.page.locator("main button:visible, main .acts a:visible").all():
            box = one.bounding_box()
            assert box is None or box["height"] >= SMALLEST, (self.page.url, one.inner_text(), box)


@pytest.fixture(params=VIEWS, ids=lambda v: f"{v[0]}-{v[1]}-{'js' if v[2] else 'plain'}")
def walker(
    request: pytest.FixtureRequest, live_server: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> Iterator[Walker]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install Debian's package `chromium`")
    # Playwright runs a loop in this thread, and Django would forbid its database there.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    language, width, scripts = request.param
    settings.SITE_URL = live_server.url
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(
            base_url=live_server.url, viewport={"width": width, "height": 800}, java_script_enabled=scripts
        )
        context.set_default_timeout(15_000)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
        name = re.sub(r"\[.*", "", request.node.name).removeprefix("test_")
        yield Walker(page, live_server.url, language, width, scripts, name)
        browser.close()
    assert not errors, errors
