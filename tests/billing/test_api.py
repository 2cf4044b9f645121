"""Money by API: shapes, scopes, strict bodies, one answer a key."""

import json
from typing import Any

import pytest
from django.test import Client

from billing import ledger, payments
from billing.api import PaymentRequestOut, present_request
from billing.models import PaidNotice, Receipt
from common.models import ApiToken
from rental.models import User
from tests.billing.conftest import PRICE, Ask, put

API = "/api/v1"


class Caller:
    def __init__(self, user: User, *scopes: str) -> None:
        _row, plain = ApiToken.issue(user, "test", list(scopes))
        self.headers = {"Authorization": f"Bearer {plain}"}

    def get(self, path: str) -> tuple[int, Any]:
        answer = Client().get(API + path, headers=self.headers)
        return answer.status_code, json.loads(answer.content)

    def post(self, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        headers = self.headers | ({"Idempotency-Key": key} if key else {})
        data = b"" if body is None else json.dumps(body).encode()
        answer = Client().post(API + path, data, content_type="application/json", headers=headers)
        return answer.status_code, json.loads(answer.content)


@pytest.fixture
def mine(customer: User) -> Caller:
    return Caller(customer, "read", "order")


@pytest.fixture
def desk(olga: User) -> Caller:
    return Caller(olga, "desk")


def test_the_balance(mine: Caller, customer: User, olga: User) -> None:
    assert mine.get("/balance") == (200, {"cents": 0, "held_cents": 0})
    put(customer, 1_234, olga)
    assert mine.get("/balance") == (200, {"cents": 1_234, "held_cents": 0})


def test_the_ledger_by_cursor(mine: Caller, customer: User, stranger: User, olga: User) -> None:
    put(stranger, 7, olga)
    for number in range(1, 61):
        put(customer, number, olga)
    status, first = mine.get("/ledger")
    assert (status, len(first["items"])) == (200, 50)
    _status, second = mine.get(f"/ledger?cursor={first['next']}")
    assert (len(second["items"]), second["next"]) == (10, None)
    assert [line["cents"] for line in first["items"] + second["items"]] == list(range(60, 0, -1))
    line = first["items"][0]
    assert set(line) == {"id", "at", "kind", "reference", "reason", "cents", "balance_after_cents"}
    assert (line["kind"], line["balance_after_cents"], line["reason"]) == ("adjust", 1_830, "for a test")
    assert mine.get("/ledger?cursor=nonsense")[0] == 422


def test_a_payment_request_as_the_rental_shows_it(ask: Ask) -> None:
    shown = present_request(ask("ethereum", "ETH"))
    assert PaymentRequestOut(**shown).dict() == shown
    assert (shown["amount"], shown["rate"], shown["rate_source"], shown["state"]) == (
        "0.433334",
        "3000",
        "example",
        "open",
    )
    assert shown["uri"] == "This is a demo: do not send any coin."


def test_the_uri_of_a_working_site(ask: Ask, settings: Any) -> None:
    settings.DEMO = False
    assert present_request(ask())["uri"].startswith("bitcoin:bc1q")


def test_a_notice_is_the_same_answer_however_often(mine: Caller, ask: Ask) -> None:
    path = f"/payment-requests/{ask().pk}/paid-notice"
    status, first = mine.post(path)
    assert status == 200
    assert set(first) == {"noted_at", "transaction", "confirms_receipt"}
    assert first["confirms_receipt"] is False
    assert mine.post(path) == mine.post(path, {}) == mine.post(path, key="k") == (200, first)
    assert PaidNotice.objects.count() == 1
    _status, named = mine.post(path, {"transaction": "ab" * 32})
    assert (named["noted_at"], named["transaction"]) == (first["noted_at"], "ab" * 32)


@pytest.mark.parametrize(
    "body", [{"transaction": 5}, {"transaction": True}, {"transaction": "x\0"}, {"transaction": "x"}, [], "x"]
)
def test_a_notice_with_nonsense_is_refused_and_not_noted(mine: Caller, ask: Ask, body: Any) -> None:
    status, answer = mine.post(f"/payment-requests/{ask().pk}/paid-notice", body)
    assert (status, answer["status"]) == (422, 422)
    assert not PaidNotice.objects.exists()


def test_a_strangers_request_is_not_there(stranger: User, ask: Ask) -> None:
    status, answer = Caller(stranger, "order").post(f"/payment-requests/{ask().pk}/paid-notice")
    assert (status, answer["code"]) == (404, "not_found")


def receipt(request: Any, **other: Any) -> dict[str, Any]:
    return {
        "network": "bitcoin", "transaction": "ab" * 32, "output": 0, "address": request.address.address,
        "amount": "0.0144445", "evidence": "block 925114", "confirmed": True,
    } | other  # fmt: skip


def test_a_receipt_from_the_desk(desk: Caller, mine: Caller, ask: Ask) -> None:
    request = ask()
    wanted = {"state": "confirmed", "credited_cents": PRICE, "problem": "", "waits_for_second": False}
    status, first = desk.post("/desk/receipts", receipt(request), key="r1")
    assert (status, {k: v for k, v in first.items() if k != "id"}) == (200, wanted)
    assert desk.post("/desk/receipts", receipt(request), key="r1") == (200, first)
    assert desk.post("/desk/receipts", receipt(request)) == (200, first)
    status, answer = desk.post("/desk/receipts", receipt(request, amount="0.1"), key="r1")
    assert (status, answer["code"]) == (409, "key_reused")
    assert mine.get("/balance")[1]["cents"] == PRICE


@pytest.mark.parametrize(
    "wrong",
    [
        {"output": "0"}, {"output": 1.0}, {"output": True}, {"output": -1}, {"confirmed": 1}, {"confirmed": "true"},
        {"amount": 0.01}, {"amount": "1e-2"}, {"amount": "-1"}, {"amount": "0"}, {"amount": "0.123456789"},
        {"amount": "٠.١"}, {"transaction": "ab"}, {"address": "x"}, {"network": "base"}, {"evidence": ""},
        {"evidence": "a\0b"}, {"asset": "ETH"}, {"asset": 5},
    ],
)  # fmt: skip
def test_a_receipt_that_cannot_be_is_refused(desk: Caller, ask: Ask, wrong: dict[str, Any]) -> None:
    status, answer = desk.post("/desk/receipts", receipt(ask(), **wrong))
    assert (status, answer["type"]) == (422, "about:blank")
    assert not Receipt.objects.exists()


def test_only_an_operators_desk_token_records(customer: User, olga: User, ask: Ask) -> None:
    request = ask()
    for caller in (Caller(customer, "read", "order", "desk"), Caller(olga, "read", "order")):
        status, answer = caller.post("/desk/receipts", receipt(request))
        assert (status, answer["code"]) == (403, "scope_missing")
    assert Client().post(f"{API}/desk/receipts", "{}", content_type="application/json").status_code == 401
    assert ledger.balance_of(customer).cents == 0


def test_two_operators_by_api(desk: Caller, oskar: User, ask: Ask, settings: Any) -> None:
    settings.TWO_PERSON_CENTS = 1
    request = ask()
    for _ in range(2):
        _status, answer = desk.post("/desk/receipts", receipt(request))
        assert (answer["state"], answer["credited_cents"], answer["waits_for_second"]) == ("seen", 0, True)
    _status, answer = Caller(oskar, "desk").post("/desk/receipts", receipt(request))
    assert (answer["state"], answer["credited_cents"], answer["waits_for_second"]) == ("confirmed", PRICE, False)


def test_the_open_api_names_these_calls() -> None:
    paths = json.loads(Client().get(f"{API}/openapi.json").content)["paths"]
    for path in ("/balance", "/ledger", "/payment-requests/{request_id}/paid-notice", "/desk/receipts"):
        assert API + path in paths


def test_closing_an_order_leaves_its_request_to_read(mine: Caller, ask: Ask) -> None:
    request = ask()
    payments.close(request.reference)
    request.refresh_from_db()
    assert present_request(request)["state"] == "closed"
    assert mine.post(f"/payment-requests/{request.pk}/paid-notice")[0] == 200
