"""Problem details: a stable code, a place, and a sentence of ours instead of pydantic's English."""

import json
from typing import Any

import pytest
from django.test import Client

from common.api.problems import FAULTS, OTHER, explain
from rental.models import User
from tests.common.conftest import bearer

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.common.probe")]


def send(who: dict[str, str], body: Any) -> Any:
    raw = body if isinstance(body, str) else json.dumps(body)
    return Client().post("/api/probe/things", raw, content_type="application/json", **who)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "where", "code"),
    [
        ({"lots": 1}, "name", "missing"),
        ({"name": 1, "lots": 1}, "name", "string_type"),
        ({"name": "", "lots": 1}, "name", "string_too_short"),
        ({"name": "too long", "lots": 1}, "name", "string_too_long"),
        ({"name": "a", "lots": "1"}, "lots", "int_type"),
        ({"name": "a", "lots": 1.5}, "lots", "int_type"),
        ({"name": "a", "lots": True}, "lots", "int_type"),
        ({"name": "a", "lots": 0}, "lots", "greater_than_equal"),
        ({"name": "a", "lots": 11}, "lots", "less_than_equal"),
        ({"name": "a", "lots": 1, "kind": "c"}, "kind", "literal_error"),
        ({"name": "a", "lots": 1, "sure": 1}, "sure", "bool_type"),
        ({"name": "a", "lots": None}, "lots", "int_type"),
    ],
)
def test_each_fault_has_its_place_and_its_own_sentence(customer: User, body: Any, where: str, code: str) -> None:
    answer = send(bearer(customer, "order"), body)
    assert answer.status_code == 422
    fault = answer.json()["errors"][0]
    assert (fault["where"], fault["code"]) == (where, code)
    assert code in FAULTS
    assert "%(" not in fault["what"]


def test_an_unknown_fault_still_has_a_sentence() -> None:
    assert explain({"type": "never_heard_of", "loc": ("body",)}) == str(OTHER)


def test_what_is_not_json_is_said_so(customer: User) -> None:
    answer = send(bearer(customer, "order"), "{no")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert "JSON" in answer.json()["detail"]


def test_a_refusal_carries_its_field_and_facts(customer: User) -> None:
    answer = send(bearer(customer, "order"), {"name": "no", "lots": 1})
    assert answer.status_code == 409
    body = answer.json()
    assert (body["code"], body["field"], body["tries"], body["status"]) == ("no_thing", "name", 1, 409)


def test_the_api_answers_problems_for_unknown_addresses_and_our_own_faults(customer: User) -> None:
    nowhere = Client().get("/api/v1/nowhere")
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "not_found")
    client = Client(raise_request_exception=False)
    broken = client.get("/api/probe/broken", **bearer(customer, "read"))  # type: ignore[arg-type]
    assert (broken.status_code, broken.json()["code"]) == (500, "server_error")
    assert "on purpose" not in broken.content.decode()
