"""Passkeys in a real browser with a virtual authenticator: added, used alone and as second factor, renamed, removed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from rental.models import Letter, User
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.rental.accounts.test_accounts import PASSWORD
from tests.rental.pages import signed_in, text_of


@pytest.fixture
def page(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install Debian's package `chromium`")
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(base_url=live_server.url.replace("127.0.0.1", "localhost"))
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(f"script error on {page.url}: {error}"))
        devtools = context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send(
            "WebAuthn.addVirtualAuthenticator",
            {
                "options": {
                    "protocol": "ctap2",
                    "transport": "internal",
                    "hasResidentKey": True,
                    "hasUserVerification": True,
                    "isUserVerified": True,
                    "automaticPresenceSimulation": True,
                }
            },
        )
        yield page
        browser.close()


def sign_in(page: Any, email: str) -> None:
    page.goto("/accounts/login/?next=/account/name")
    page.fill("[name=login]", email)
    page.fill("[name=password]", PASSWORD)
    page.click("form:not([data-passkey]) button.primary")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_passkey_from_first_to_last(page: Any, customer: User) -> None:
    sign_in(page, customer.email)
    page.wait_for_url(re.compile(r"^[^?]*/account/name$"))
    page.goto("/accounts/2fa/webauthn/add/")
    page.fill("[name=password]", PASSWORD)  # who changes the ways in shows once more who it is
    page.click("main button.primary")
    page.wait_for_url("**/webauthn/add/")
    page.fill("[name=name]", "My telephone")
    page.click("[data-passkey-ask]")
    page.wait_for_url("**/recovery-codes/")
    key = Authenticator.objects.get(user=customer, type=Authenticator.Type.WEBAUTHN)
    assert key.wrap().name == "My telephone"
    assert Letter.objects.filter(to=customer.email, subject="A passkey was added").exists()
    # Alone: no password is typed, and the page one was going to is reached.
    page.context.clear_cookies()
    page.goto("/accounts/login/?next=/account/time-zone")
    page.click("[data-passkey-ask]")
    page.wait_for_url(re.compile(r"^[^?]*/account/time-zone$"))
    # As the second factor after a password, again to where one was going.
    page.context.clear_cookies()
    sign_in(page, customer.email)
    page.wait_for_url("**/2fa/authenticate/**")
    page.click("[data-passkey-ask]")
    page.wait_for_url(re.compile(r"^[^?]*/account/name$"))
    page.goto(f"/accounts/2fa/webauthn/keys/{key.pk}/edit/")
    if "reauthenticate" in page.url:
        page.goto(page.url.replace("/2fa/", "/").replace("reauthenticate/", "2fa/webauthn/reauthenticate/", 1))
        page.click("[data-passkey-ask]")
        page.wait_for_url("**/edit/")
    page.fill("[name=name]", "Old telephone")
    page.click("main button.primary")
    page.wait_for_url("**/2fa/webauthn/")
    assert "Old telephone" in page.inner_text("main")
    page.goto(f"/accounts/2fa/webauthn/keys/{key.pk}/remove/")
    page.click("main button.primary")
    page.wait_for_url("**/2fa/webauthn/")
    assert not Authenticator.objects.filter(user=customer).exists()
    assert Letter.objects.filter(to=customer.email, subject="A passkey was removed").exists()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_at_an_address_of_numbers_the_page_says_which_name_to_use(page: Any, live_server: Any) -> None:
    page.goto(live_server.url.replace("localhost", "127.0.0.1") + "/accounts/login/")
    assert "Open this site as localhost" in page.inner_text("main")
    assert not page.is_visible("[data-passkey-ask]")


@pytest.mark.django_db
def test_without_script_no_button_is_shown_and_other_ways_are_named(customer: User) -> None:
    html = Client().get("/accounts/login/").content.decode()
    assert re.search(r"<form[^>]*data-passkey=\"get\"[^>]* hidden>", html)
    assert re.search(r"<button[^>]*data-passkey-ask hidden>", html)
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)


ODD = ("", "{", "[]", "1", '"x"', "{}", '{"response": []}', '{"id": "x", "response": {"userHandle": "!!"}}',
       '{"id": 1, "rawId": "AA", "type": "public-key", "response": {"clientDataJSON": "AA"}}')  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("answer", ODD)
def test_an_answer_no_passkey_gave_is_refused(customer: User, answer: str) -> None:
    stranger = Client(raise_request_exception=False)
    stranger.get("/accounts/2fa/webauthn/login/", headers={"accept": "application/json"})
    assert stranger.post("/accounts/2fa/webauthn/login/", {"credential": answer}).status_code == 302
    client = signed_in(customer)
    client.raise_request_exception = False
    place = client.get("/accounts/2fa/webauthn/add/")
    if place.status_code == 302:
        client.post(place["Location"], {"password": PASSWORD})
        place = client.get("/accounts/2fa/webauthn/add/")
    assert place.status_code == 200
    page = client.post("/accounts/2fa/webauthn/add/", {"name": "x", "passwordless": "True", "credential": answer})
    assert page.status_code == 200
    assert not Authenticator.objects.exists()


@pytest.mark.django_db
def test_an_unconfirmed_address_sets_up_no_passkey(customer: User) -> None:
    customer.emailaddress_set.update(verified=False)  # type: ignore[attr-defined]
    page = signed_in(customer).get("/accounts/2fa/webauthn/add/", follow=True)
    assert "Confirm your email address first" in text_of(page)
