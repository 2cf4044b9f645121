"""What people do in a browser: sign in, with the second factor when there is one."""

import base64
import hashlib
import hmac
import struct
import time
from typing import Any

from playwright.sync_api import Page


def totp(secret: str, at: float | None = None) -> str:
    """RFC 6238's six figures for a base 32 secret."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int((at or time.time()) // 30)), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"


def press(page: Page, selector: str = "main button.primary, main a.btn.primary") -> None:
    """Press the page's one primary button and wait for the next page."""
    with page.expect_navigation():
        page.locator(selector).first.click()


def sign_in(page: Page, person: dict[str, Any]) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.fill("[name=login]", person["email"])
    page.fill("[name=password]", person["password"])
    press(page)
    if "totp_secret" in person:
        page.fill("[name=code]", totp(person["totp_secret"]))
        press(page)


def confirm_email(page: Page, email: str) -> None:
    """Open the link in the letter of a sign-up, which a demo shows on its outbox page."""
    page.goto("/outbox/")
    page.locator("tr", has_text=email).locator("a").last.click()
    page.locator("main a[href*='/accounts/confirm-email/']").click()
    press(page)
