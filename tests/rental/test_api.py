"""Renting by API: the whole walk, inputs of the wrong kind, repeated keys, and other people's things."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import rates, receiving
from common.models import ApiToken
from rental.models import Access, Card, Order, Quote, User
from tests.rental.conftest import show

Put = Callable[[User, int], None]


class Caller:
    """A customer's own script."""

    def __init__(self, user: User | None, *scopes: str, language: str = "en") -> None:
        self.client, self.headers = Client(), {"Accept-Language": language}
        if user is not None:
            _row, plain = ApiToken.issue(user, "test", list(scopes))
            self.headers["Authorization"] = f"Bearer {plain}"

    def __call__(self, method: str, path: str, body: Any = None, *, key: str = "") -> tuple[int, Any]:
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        data = body if isinstance(body, str) else json.dumps(body) if body is not None else ""
        answer = self.client.generic(
            method, f"/api/v1{path}", data, content_type="application/json" if data else "", headers=headers
        )
        return answer.status_code, json.loads(answer.content) if answer.content else None


@pytest.fixture
def api(catalogue: dict[str, Card], customer: User) -> Caller:
    return Caller(customer, "read", "order")


@pytest.fixture
def desk(staff: User) -> Caller:
    return Caller(staff, "read", "desk")


CHOICE = {"card": "b200", "days": 7, "lots": 2, "preparation": "pytorch"}


def ordered(api: Caller, **choice: Any) -> dict[str, Any]:
    _status, quote = api("POST", "/quotes", {**CHOICE, **choice})
    status, order = api("POST", "/orders", {"quote": quote["id"]})
    assert status == 201, order
    return dict(order)


def test_the_catalogue(api: Caller) -> None:
    status, body = api("GET", "/cards")
    assert status == 200
    cards = {card["slug"]: card for card in body["items"]}
    assert list(cards) == ["cpu", "rtx-4090", "l40s", "a100", "h100", "h200", "b200", "mi300x"]
    assert body["next"] is None
    b200 = cards["b200"]
    assert (b200["cards_per_lot"], b200["backend"], b200["memory_gb"], b200["lots_free"]) == (2, "cuda", 180, 12)
    assert b200["prices"][1] == {"days": 7, "unit_price_cents": 2_100_00}
    assert b200["example_prices"] is True
    assert cards["cpu"]["memory_gb"] is None
    api("POST", "/quotes", CHOICE)
    assert api("GET", "/cards")[1]["items"][6]["lots_free"] == 10


def test_the_walk_from_quote_to_access(api: Caller, desk: Caller, put: Put, customer: User) -> None:
    status, quote = api("POST", "/quotes", CHOICE)
    assert status == 201
    assert quote == {
        "id": quote["id"], "card": "b200", "days": 7, "lots": 2, "cards": 4, "preparation": "pytorch",
        "preparation_note": "", "unit_price_cents": 2_100_00, "total_cents": 4_200_00,
        "expires_at": quote["expires_at"],
    }  # fmt: skip
    assert quote["expires_at"].endswith("Z")
    status, order = api("POST", "/orders", {"quote": quote["id"]})
    assert (status, order["state"], order["total_cents"], order["cards"]) == (201, "placed", 4_200_00, 4)
    code = order["code"]
    status, problem = api("POST", f"/orders/{code}/pay-from-balance")
    assert (status, problem["code"], problem["balance_cents"], problem["needed_cents"]) == (
        409, "insufficient_balance", 0, 4_200_00,
    )  # fmt: skip
    put(customer, 9_000_00)
    status, order = api("POST", f"/orders/{code}/pay-from-balance")
    assert (status, order["state"]) == (200, "paid")
    assert api("POST", f"/orders/{code}/access")[1]["code"] == "no_access"
    status, problem = desk("POST", f"/desk/orders/{code}/deliver", {"hosts": ["host-1"], "access": "ssh x"})
    assert (status, problem["code"]) == (409, "cards_not_proved")
    assert problem["differences"][0]["code"] == "no_proof"
    show("host-1", Card.objects.get(slug="b200"), 4)
    status, order = desk("POST", f"/desk/orders/{code}/deliver", {"hosts": ["host-1"], "access": "ssh x"})
    assert (status, order["state"], order["hosts"]) == (200, "delivered", ["host-1"])
    assert api("POST", f"/orders/{code}/access") == (200, {"access": "ssh x"})
    end = order["ends_at"]
    for _ in range(2):
        status, order = api("POST", f"/orders/{code}/extend", {"ends_at": end})
        assert (status, order["state"]) == (200, "delivered")
        assert order["ends_at"] > end
    status, order = api("GET", f"/orders/{code.lower()}")
    assert [(m["new"], m["by"], m["code"]) for m in order["moves"]] == [
        ("placed", "you", "placed"), ("paid", "you", "paid_from_balance"),
        ("preparing", "operator", "preparation_started"), ("delivered", "operator", "handed_over"),
        ("delivered", "you", "extended"),
    ]  # fmt: skip
    assert all(move["sentence"] and move["at"].endswith("Z") for move in order["moves"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lots", 0), ("lots", 11), ("lots", -1), ("lots", 1.5), ("lots", 2.0), ("lots", "2"), ("lots", True),
        ("lots", None), ("lots", [2]), ("lots", 10**30), ("days", 7.0), ("days", "7"), ("days", True), ("days", 8),
        ("card", "none"), ("card", 7), ("card", None), ("card", "x" * 999), ("card", "h100\0"),
        ("preparation", "windows"), ("preparation", True), ("preparation", "custom"), ("preparation_note", "a\0b"),
        ("preparation_note", "x" * 2001), ("preparation_note", 5),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_422(api: Caller, name: str, value: Any) -> None:
    status, problem = api("POST", "/quotes", {**CHOICE, name: value})
    assert status == 422, problem
    assert problem["code"]
    assert problem["detail"]
    assert not Quote.objects.exists()


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"x"', '{"lots": 2}', '{"card": NaN}'])
def test_a_body_that_is_none_is_refused(api: Caller, body: str) -> None:
    status, problem = api("POST", "/quotes", body)
    assert status in (400, 422), (status, problem)
    assert problem["status"] == status


def test_a_price_of_ones_own_is_ignored(api: Caller) -> None:
    _status, quote = api("POST", "/quotes", {**CHOICE, "total_cents": 1, "unit_price_cents": 1, "cards": 1})
    _status, order = api("POST", "/orders", {"quote": quote["id"], "total_cents": 1, "lots": 1})
    assert (order["total_cents"], order["lots"], order["cards"]) == (4_200_00, 2, 4)


def test_the_same_key_gives_the_same_answer(api: Caller) -> None:
    first = api("POST", "/quotes", CHOICE, key="k1")
    assert api("POST", "/quotes", CHOICE, key="k1") == first
    assert Quote.objects.count() == 1
    status, problem = api("POST", "/quotes", {**CHOICE, "lots": 3}, key="k1")
    assert (status, problem["code"]) == (409, "key_reused")
    order = api("POST", "/orders", {"quote": first[1]["id"]}, key="k2")
    assert api("POST", "/orders", {"quote": first[1]["id"]}, key="k2") == order
    assert api("POST", "/orders", {"quote": first[1]["id"]})[1]["code"] == order[1]["code"]
    assert Order.objects.count() == 1


def test_a_refusal_keeps_no_answer(api: Caller, put: Put, customer: User) -> None:
    code = ordered(api)["code"]
    assert api("POST", f"/orders/{code}/pay-from-balance", key="pay")[0] == 409
    put(customer, 4_200_00)
    assert api("POST", f"/orders/{code}/pay-from-balance", key="pay")[0] == 200


def test_a_payment_is_asked_for(api: Caller) -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()
    code = ordered(api)["code"]
    status, asked = api("POST", f"/orders/{code}/payment-requests", {"network": "bitcoin", "asset": "BTC"})
    assert status == 201
    assert {"id", "address", "amount", "rate", "rate_source", "uri", "expires_at", "state"} <= set(asked)
    assert api("POST", f"/orders/{code}/payment-requests", {"network": "bitcoin", "asset": "BTC"})[1] == asked
    assert api("POST", f"/orders/{code}/payment-requests", {"network": "bitcoin", "asset": "XMR"})[0] == 422
    assert api("POST", f"/orders/{code}/payment-requests", {"network": "moon", "asset": "BTC"})[0] == 422


def test_orders_come_by_cursor(api: Caller, settings: Any) -> None:
    settings.UNPAID_ORDERS = 100
    Card.objects.filter(slug="cpu").update(lots=100)
    codes = [ordered(api, card="cpu", lots=1)["code"] for _ in range(55)]
    _status, first = api("GET", "/orders")
    _status, second = api("GET", f"/orders?cursor={first['next']}")
    assert [order["code"] for order in first["items"] + second["items"]] == codes[::-1]
    assert second["next"] is None
    assert api("GET", "/orders?cursor=nonsense")[0] == 422


def test_cancel_and_its_reason(api: Caller) -> None:
    code = ordered(api)["code"]
    status, order = api("POST", f"/orders/{code}/cancel", {"reason": "too dear"})
    assert (status, order["state"], order["moves"][-1]["note"]) == (200, "cancelled", "too dear")
    status, problem = api("POST", f"/orders/{code}/pay-from-balance")
    assert (status, problem["code"], problem["state"]) == (409, "wrong_state", "cancelled")


@pytest.mark.parametrize("body", ["[]", '"x"', "1", "true", '[["reason", "x"]]'])
@pytest.mark.parametrize("act", ["cancel", "extend"])
def test_a_body_that_is_no_object_does_nothing(api: Caller, act: str, body: str) -> None:
    code = ordered(api)["code"]
    status, problem = api("POST", f"/orders/{code}/{act}", body)
    assert (status, problem["code"]) == (422, "invalid_input")
    assert api("GET", f"/orders/{code}")[1]["state"] == "placed"


def deeds(code: str) -> list[tuple[str, str, Any]]:
    return [
        ("GET", f"/orders/{code}", None),
        ("POST", f"/orders/{code}/pay-from-balance", None),
        ("POST", f"/orders/{code}/cancel", None),
        ("POST", f"/orders/{code}/extend", None),
        ("POST", f"/orders/{code}/access", None),
        ("POST", f"/orders/{code}/payment-requests", {"network": "bitcoin", "asset": "BTC"}),
    ]


def test_anothers_order_is_not_there(api: Caller, stranger: User, staff: User) -> None:
    order = ordered(api)
    for caller in (Caller(stranger, "read", "order"), Caller(staff, "read", "order", "desk")):
        for code in (order["code"], "0000-0000", "x%00y", "%F0%9F%92%A9"):
            for method, path, body in deeds(code):
                status, problem = caller(method, path, body)
                assert (status, problem["code"]) == (404, "not_found"), (method, path)
        assert caller("GET", "/orders")[1]["items"] == []
        _status, quote = api("POST", "/quotes", CHOICE)
        assert caller("POST", "/orders", {"quote": quote["id"]})[1]["code"] == "quote_not_found"
    assert api("GET", f"/orders/{order['code']}")[1]["state"] == "placed"


def test_without_a_token_or_its_scope_there_is_no_way_in(api: Caller, customer: User, stranger: User) -> None:
    code = ordered(api)["code"]
    deliver = ("POST", f"/desk/orders/{code}/deliver", {"hosts": ["host-1"], "access": "ssh x"})
    every = [("GET", "/cards", None), ("POST", "/quotes", CHOICE), ("GET", "/orders", None), *deeds(code), deliver]
    for method, path, body in every:
        assert Caller(None)(method, path, body)[0] == 401, path
        assert Caller(customer)(method, path, body)[0] == 403, path
    # A desk scope written on a customer's token opens nothing.
    assert Caller(stranger, "desk")(*deliver)[1]["code"] == "scope_missing"
    reader = Caller(customer, "read")
    assert [reader(*deed)[0] for deed in deeds(code)] == [200, 403, 403, 403, 403, 403]
    assert not Access.objects.exists()


def test_an_error_speaks_the_callers_language_and_keeps_its_code(catalogue: Any, customer: User) -> None:
    status, problem = Caller(customer, "order", language="fr")("POST", "/quotes", {**CHOICE, "lots": 11})
    assert (status, problem["code"], problem["field"]) == (422, "wrong_lots", "lots")


def test_the_interface_describes_itself(db: None) -> None:
    described = Client().get("/api/v1/openapi.json").json()
    assert {"/api/v1/cards", "/api/v1/orders/{code}/extend", "/api/v1/desk/orders/{code}/deliver"} <= set(
        described["paths"]
    )
