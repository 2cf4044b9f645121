"""`Idempotency-Key`: one effect however often it is sent, the same answer, another body refused."""

import json
import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from common.housekeeping import KEEP_ANSWERS, forget
from common.models import ApiToken, IdempotentAnswer
from rental.models import User
from tests.common.conftest import bearer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.common.probe")]
BODY = {"name": "one", "lots": 2}


def send(who: dict[str, str], key: str, body: Any = BODY, path: str = "/api/probe/things") -> Any:
    headers = who | ({"HTTP_IDEMPOTENCY_KEY": key} if key else {})
    return Client().post(path, json.dumps(body), content_type="application/json", **headers)  # type: ignore[arg-type]


def things() -> int:
    return ApiToken.objects.exclude(name="test").count()


def test_same_key_and_body_get_the_same_answer(customer: User) -> None:
    who = bearer(customer, "order")
    first, again = send(who, "k"), send(who, "k")
    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert first["Content-Type"] == again["Content-Type"] == "application/vnd.thing+json"
    assert things() == 1


def test_another_body_or_path_under_the_key_is_refused(customer: User) -> None:
    who = bearer(customer, "order")
    send(who, "k")
    other = send(who, "k", {"name": "one", "lots": 3})
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    assert send(who, "k", path="/api/probe/things?x=1").status_code == 409
    assert things() == 1


def test_without_a_key_each_request_is_its_own(customer: User) -> None:
    who = bearer(customer, "order")
    send(who, "")
    send(who, "")
    assert things() == 2


def test_two_people_may_use_the_same_key(customer: User, staff: User) -> None:
    assert send(bearer(customer, "order"), "k").content != send(bearer(staff, "order"), "k").content
    assert things() == 2


def test_a_refused_act_keeps_no_answer(customer: User) -> None:
    who = bearer(customer, "order")
    assert send(who, "k", {"name": "no", "lots": 1}).json()["code"] == "no_thing"
    assert not IdempotentAnswer.objects.exists()
    assert send(who, "k").status_code == 201


def test_a_key_has_a_length(customer: User) -> None:
    assert send(bearer(customer, "order"), "k" * 201).status_code == 422


def test_twenty_at_once_have_one_effect(customer: User) -> None:
    who, gate, answers = bearer(customer, "order"), threading.Barrier(20), []

    def run() -> None:
        gate.wait()
        try:
            answers.append(send(who, "same"))
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert things() == 1


def test_answers_are_forgotten_after_their_time(customer: User) -> None:
    send(bearer(customer, "order"), "k")
    at = IdempotentAnswer.objects.get().created_at
    assert forget(at + KEEP_ANSWERS) == 0
    assert forget(at + KEEP_ANSWERS * 1.01) == 1
