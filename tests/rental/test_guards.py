"""The doors: one's own order or nothing, and a desk that opens with the second factor only."""

from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.http import Http404
from django.test import Client

from common.models import ApiToken
from rental import guards
from rental.accounts.people import make_operator
from rental.models import Order, User
from rental.orders import ordering

PASSWORD = "a long password 1"


def code_of(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time()))))


@pytest.fixture
def secret(db: None) -> str:
    made = make_operator("ada@example.org", password=PASSWORD)
    assert made.totp_secret
    return made.totp_secret


def sign_in(email: str = "ada@example.org") -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": PASSWORD})
    return client


def test_ones_own_order_or_nothing(place: Callable[..., Order], stranger: User, staff: User) -> None:
    order = place()
    assert guards.order_for(order.customer, order.code) == order
    assert guards.order_for(order.customer, order.code.lower()) == order
    assert guards.order_at_desk(staff, order.code) == order
    for user in (stranger, staff, AnonymousUser()):
        with pytest.raises(Http404):
            guards.order_for(user, order.code)
    for user in (stranger, order.customer, AnonymousUser()):
        with pytest.raises(Http404):
            guards.order_at_desk(user, order.code)
    for code in ("", "x\0", "0000-0000", order.code + " ", "💩"):
        with pytest.raises(Http404):
            guards.order_for(order.customer, code)


def test_ones_own_quote_or_an_unclaimed_one(catalogue: Any, customer: User, stranger: User) -> None:
    mine = ordering.quote(customer, card="cpu", days=3, lots=1, preparation="ubuntu")
    nobodys = ordering.quote(None, card="cpu", days=3, lots=1, preparation="ubuntu")
    assert guards.quote_for(customer, mine.pk) == mine
    for user in (customer, stranger, AnonymousUser()):
        assert guards.quote_for(user, nobodys.pk) == nobodys
    for user in (stranger, AnonymousUser()):
        with pytest.raises(Http404):
            guards.quote_for(user, mine.pk)


@pytest.mark.parametrize("path", ["/desk/", "/admin/", "/admin/rental/order/"])
def test_the_desk_opens_with_the_second_factor_only(secret: str, customer: User, path: str) -> None:
    assert sign_in("customer@example.org").get(path, follow=True).status_code == 404
    client = sign_in()
    assert client.get(path).status_code in (302, 404)  # the password alone is no sign-in
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert client.get(path).status_code == 200
    with time_machine.travel("2126-01-01"):
        assert client.get(path).status_code != 200


def test_an_operator_who_never_gave_a_second_factor_is_sent_to_set_one_up(secret: str) -> None:
    client = sign_in()
    Authenticator.objects.all().delete()
    client = sign_in()
    answer = client.get("/desk/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/2fa/totp/activate/?next=%2Fdesk%2F")


def test_after_some_hours_the_second_factor_is_given_again(secret: str) -> None:
    client = sign_in()
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    session = client.session
    session["account_authentication_methods"] = [
        {**record, "at": record["at"] - 9 * 3600} for record in session["account_authentication_methods"]
    ]
    session.save()
    answer = client.get("/desk/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/2fa/reauthenticate/?next=%2Fdesk%2F")
    cache.clear()
    client.post(answer["Location"], {"code": code_of(secret)})
    assert client.get("/desk/").status_code == 200


def test_the_second_factors_secret_is_sealed(secret: str) -> None:
    assert secret not in str(Authenticator.objects.get(type="totp").data)


def test_the_tables_can_be_read_and_not_written(secret: str, place: Callable[..., Order]) -> None:
    order = place()
    client = sign_in()
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    for table in ("user", "card", "price", "quote", "order", "ordermove", "extension", "cardproof", "orderhost",
                  "access", "accessreveal", "letter", "preparationproof"):  # fmt: skip
        assert client.get(f"/admin/rental/{table}/").status_code == 200, table
        assert client.get(f"/admin/rental/{table}/add/").status_code == 403, table
    page = f"/admin/rental/order/{order.pk}/change/"
    assert client.get(page).status_code == 200
    assert client.post(page, {"state": "paid"}).status_code == 403
    assert client.post(f"/admin/rental/order/{order.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "argon2" not in client.get(f"/admin/rental/user/{order.customer_id}/change/").content.decode()


def test_commands_make_operators_and_tokens(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("operator", "Eve@Example.org")
    first = capsys.readouterr().out
    assert "password: " in first
    assert "totp_secret: " in first
    call_command("operator", "eve@example.org")
    assert "unchanged" in capsys.readouterr().out
    call_command("token", "eve@example.org", "--scope", "desk", "--scope", "read", "--days", "3")
    plain = capsys.readouterr().out.strip()
    row = ApiToken.objects.get()
    assert (row.digest, row.scopes) == (ApiToken.hash(plain), ["read", "desk"])
    assert plain not in str(list(ApiToken.objects.values()))
    User.objects.create_user("c@example.org", "x")
    for wrong in (["nobody@example.org", "--scope", "read"], ["c@example.org", "--scope", "desk"],
                  ["eve@example.org", "--scope", "read", "--days", "0"], ["eve@example.org", "--scope", "all"],
                  ["eve@example.org"]):  # fmt: skip
        with pytest.raises(CommandError):
            call_command("token", *wrong)
    with pytest.raises(CommandError):
        call_command("operator", "not an address")
