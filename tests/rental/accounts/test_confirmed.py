"""What an account may do before its address is confirmed, and what waits."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from common.models import ApiToken
from common.refusals import Refusal
from rental.delivery import handover
from rental.models import Letter, Order, User
from tests.rental.accounts.test_accounts import NEW
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db


def unconfirm(user: User) -> None:
    user.emailaddress_set.update(verified=False)  # type: ignore[attr-defined]


def test_the_account_page_says_so_and_writes_again_but_not_at_once() -> None:
    client = Client()
    client.post("/accounts/signup/", NEW)
    page = text_of(client.get("/account/"))
    assert "Your email address is not confirmed" in page
    assert "You can order and pay at once" in page
    for _n in range(3):
        client.post("/accounts/email/", {"email": "zoe@example.org", "action_send": ""})
    assert Letter.objects.filter(to="zoe@example.org").count() == 1  # the one of the sign-up: a minute has to pass


def test_an_unconfirmed_account_orders(place: Callable[..., Order], customer: User) -> None:
    unconfirm(customer)
    assert place().state == Order.State.PLACED


def test_reading_an_access_waits(deliver: Callable[..., Order], customer: User) -> None:
    order = deliver()
    unconfirm(customer)
    with pytest.raises(Refusal) as refused:
        handover.reveal(order, customer)
    assert refused.value.code == "email_unconfirmed"
    assert "Your email address is not confirmed" in text_of(signed_in(customer).get(f"/orders/{order.code}"))
    page = signed_in(customer).post(f"/orders/{order.code}/access", follow=True)
    assert "Confirm your email address first" in text_of(page)
    assert "ssh ana" not in page.content.decode()


def test_tokens_wait(customer: User) -> None:
    unconfirm(customer)
    client: Any = signed_in(customer)
    place = client.get("/account/tokens/")
    if place.status_code == 302:
        client.post(place["Location"], {"password": "a long password 1"})
        place = client.get("/account/tokens/")
    assert "once your email address is confirmed" in text_of(place)
    form = {"form_id": "x", "name": "n", "scopes": ["read"], "days": "30"}
    assert client.post("/account/tokens/", form).status_code == 200
    assert not ApiToken.objects.exists()
