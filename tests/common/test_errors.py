"""Error pages: the site's look, plain words, and the last one without anything behind it."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import DatabaseError
from django.test import Client, RequestFactory

from common import views
from rental.models import User
from tests.common.conftest import bearer


@pytest.mark.django_db
def test_each_error_has_its_page(customer: User) -> None:
    assert "<h1>There is nothing at this address</h1>" in Client().get("/nowhere/").content.decode()
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/accounts/login/", {"login": "x"})
    assert answer.status_code == 403
    assert "<h1>The form was too old to be sent</h1>" in answer.content.decode()
    request = RequestFactory().get("/")
    assert b"This request cannot be read" in views.bad_request(request).content


def test_the_page_for_our_faults_needs_no_database_and_no_session() -> None:
    # No mark for the database: a query would fail this test.
    answer = views.server_error(RequestFactory().get("/account/"))
    assert answer.status_code == 500
    assert "<h1>Something failed on our side</h1>" in answer.content.decode()


def test_when_even_that_page_fails_words_are_left() -> None:
    with patch("common.views.render_to_string", side_effect=DatabaseError):
        answer = views.server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "Something failed on our side" in answer.content.decode()


@pytest.mark.django_db
def test_a_fault_in_a_page_shows_no_traceback() -> None:
    def fail(*_args: Any) -> None:
        raise RuntimeError("a secret detail")

    with patch("rental.views.guide.exhibit.recorded", side_effect=fail):
        answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert "a secret detail" not in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/runs/%00", "/orders/x%00y", "/api/v1/runs/%00", "/api/v1/payment-requests/%00/x"])
def test_a_nul_in_a_path_names_nothing(path: str) -> None:
    assert Client().get(path).status_code == 404


@pytest.mark.django_db
def test_a_nul_in_a_query_reaches_no_database(signed_in: Client) -> None:
    assert signed_in.get("/pilots/?after=%00").status_code == 400
    answer = signed_in.get("/api/v1/runs/X/items?category=a%00")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.django_db
def test_a_form_that_cannot_be_read_is_a_problem_for_a_program(customer: User) -> None:
    answer = Client().post(
        "/api/v1/projects",
        b"x",
        content_type="multipart/form-data",
        **bearer(customer, "pilot"),  # type: ignore[arg-type]
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["code"] == "bad_request"
