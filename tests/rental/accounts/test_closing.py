"""Closing an account: when it can be, what is erased, what the books keep."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone

from billing import ledger
from common.models import ApiToken
from rental.letters import outbox
from rental.models import Letter, Order, SshKey, User
from tests.rental.accounts.test_accounts import PASSWORD, enter
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db


def close(client: Client, password: str = PASSWORD) -> Any:
    return client.post("/account/close", {"password": password})


def test_it_waits_for_a_balance_and_for_orders(
    customer: User, staff: User, place: Callable[..., Order], put: Callable[[User, int], None]
) -> None:
    client = signed_in(customer)
    put(customer, 100)
    assert "still holds 1.00 USD" in text_of(client.get("/account/close"))
    assert close(client).status_code == 409
    ledger.adjust(customer, -100, key="b", by=staff, reason="paid out")
    place()
    page = client.get("/account/close")
    assert "An order is still going on" in text_of(page)
    assert 'href="/orders/"' in page.content.decode()
    assert close(client).status_code == 409
    customer.refresh_from_db()
    assert customer.is_active


def test_it_asks_for_the_password_and_an_operator_stays_in_the_books(customer: User, staff: User) -> None:
    client = signed_in(customer)
    page = close(client, "something else")
    assert "This is not your password" in text_of(page)
    customer.refresh_from_db()
    assert customer.is_active
    assert "stands in the books" in text_of(signed_in(staff).get("/account/close"))


def test_the_person_is_erased_and_the_books_stay(customer: User, place: Callable[..., Order]) -> None:
    order = place()
    Order.objects.filter(pk=order.pk).update(state=Order.State.LAPSED)
    TOTP.activate(customer, generate_totp_secret())
    ApiToken.issue(customer, "t", ["read"])
    SshKey.objects.create(customer=customer, label="k", kind="ssh-ed25519", line="ssh-ed25519 AAAA", fingerprint="f")
    client, other = signed_in(customer), Client()
    assert close(client).status_code == 302
    assert client.get("/account/").status_code == 302
    row = User.objects.get(pk=customer.pk)
    assert (row.is_active, row.first_name, row.last_name) == (False, "", "")
    assert row.email.endswith("@closed.invalid")
    assert not row.has_usable_password()
    for rows, owner in (
        (EmailAddress, "user"),
        (Authenticator, "user"),
        (UserSession, "user"),
        (ApiToken, "owner"),
        (SshKey, "customer"),
    ):
        assert not rows.objects.filter(**{owner: row}).exists()
    assert Order.objects.get(pk=order.pk).customer_id == row.pk
    assert "do not match" in text_of(enter(other, "customer@example.org", PASSWORD))
    # The last letter goes out once and leaves no address behind.
    [letter] = Letter.objects.filter(to="customer@example.org")
    assert letter.subject == "Your account is closed"
    assert outbox.send_due(timezone.now()) == 1
    assert not Letter.objects.filter(to="customer@example.org").exists()
