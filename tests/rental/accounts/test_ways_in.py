"""Sessions, changed passwords and addresses, and an order that survives every way in."""

import re
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.test import Client

from rental.models import Letter, User
from tests.rental.accounts.test_accounts import NEW, PASSWORD, code_of, enter
from tests.rental.pages import hidden, text_of

pytestmark = pytest.mark.django_db
NEXT = "/rent/check/X?a=1"


def test_one_session_is_ended_and_a_strangers_is_not_there(customer: User, stranger: User) -> None:
    here, there, other = Client(), Client(), Client()
    for client, who in ((here, customer), (there, customer), (other, stranger)):
        enter(client, who.email, PASSWORD)
    mine = UserSession.objects.get(session_key=there.session.session_key)
    theirs = UserSession.objects.get(user=stranger)
    assert "Last seen" in text_of(here.get("/accounts/sessions/"))
    assert here.post(f"/account/sessions/{theirs.pk}/end").status_code == 404
    assert here.post(f"/account/sessions/{mine.pk}/end").status_code == 302
    assert there.get("/account/").status_code == 302
    assert (here.get("/account/").status_code, other.get("/account/").status_code) == (200, 200)


def test_last_seen_is_written_after_five_minutes_and_not_before(customer: User) -> None:
    client = Client()
    enter(client, customer.email, PASSWORD)
    before = UserSession.objects.get().last_seen_at
    client.get("/account/")
    assert UserSession.objects.get().last_seen_at == before
    with patch("rental.accounts.seen.time.time", return_value=time.time() + 301):
        client.get("/account/")
    assert UserSession.objects.get().last_seen_at > before


def test_a_changed_password_ends_the_other_sessions_and_is_told(customer: User) -> None:
    here, there = Client(), Client()
    enter(here, customer.email, PASSWORD)
    enter(there, customer.email, PASSWORD)
    here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": "another horse battery"})
    assert (here.get("/account/").status_code, there.get("/account/").status_code) == (200, 302)
    assert Letter.objects.filter(to=customer.email, subject="Your password was changed").exists()


def test_a_changed_address_is_told_to_both(customer: User) -> None:
    client = Client()
    enter(client, customer.email, PASSWORD)
    client.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    link = re.search(r"(/accounts/confirm-email/\S+)", Letter.objects.get(to="new@example.org").text)
    assert link
    client.post(link[1])
    assert Letter.objects.filter(to="customer@example.org", subject="Your email was changed").exists()
    assert Letter.objects.filter(to="new@example.org").count() >= 1


def ways() -> dict[str, Callable[[Client, User], Any]]:
    return {"password": by_password, "second factor": by_code, "sign-up": by_sign_up}


def by_password(client: Client, user: User) -> Any:
    assert hidden(client.get(f"/accounts/login/?next={NEXT}"), "next") == NEXT
    return enter_next(client, user)


def by_code(client: Client, user: User) -> Any:
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    assert enter_next(client, user)["Location"].startswith("/accounts/2fa/authenticate/")
    return client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})


def by_sign_up(client: Client, user: User) -> Any:
    return client.post("/accounts/signup/", NEW | {"next": NEXT})


def enter_next(client: Client, user: User) -> Any:
    return client.post("/accounts/login/", {"login": user.email, "password": PASSWORD, "next": NEXT})


@pytest.mark.parametrize("way", ways())
def test_an_order_goes_on_after_every_way_in(customer: User, way: str) -> None:
    answer = ways()[way](Client(), customer)
    assert (answer.status_code, answer["Location"]) == (302, NEXT)


def test_an_order_goes_on_after_a_new_password_by_letter(customer: User) -> None:
    client = Client()
    client.get(f"/accounts/login/?next={NEXT}")
    client.post("/accounts/password/reset/", {"email": customer.email})
    link = re.search(r"(/accounts/password/reset/key/\S+)", Letter.objects.get().text)
    assert link
    place = client.get(link[1], follow=True).redirect_chain[-1][0]
    client.post(place, {"password1": "another horse battery"})
    again = {"login": customer.email, "password": "another horse battery"}
    assert client.post("/accounts/login/", again)["Location"] == NEXT
    # Once only, and never to another site.
    client.post("/accounts/logout/")
    client.get("/accounts/login/?next=//evil.example/")
    assert client.post("/accounts/login/", again)["Location"] == "/account/"


def test_an_operators_only_passkey_stays(staff: User) -> None:
    key = Authenticator.objects.create(user=staff, type=Authenticator.Type.WEBAUTHN, data={"name": "k"})
    client = Client()
    client.force_login(staff)
    answer = client.post(f"/accounts/2fa/webauthn/keys/{key.pk}/remove/")
    assert answer.status_code == 302
    assert Authenticator.objects.filter(pk=key.pk).exists()
