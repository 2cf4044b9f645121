"""Bearer tokens: what opens, what does not, and what a refusal says."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from common.models import ApiToken
from rental.models import User
from tests.common.conftest import bearer

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.common.probe")]


def get(path: str = "/api/probe/desk", **headers: str) -> tuple[int, str]:
    answer = Client().get(path, **headers)  # type: ignore[arg-type]
    return answer.status_code, answer.json().get("code", answer.json().get("who"))


def test_no_token_wrong_token_and_a_session_are_the_same_401(signed_in: Client) -> None:
    assert get() == (401, "token_required")
    assert get(HTTP_AUTHORIZATION="Bearer kd_nothing") == (401, "token_required")
    answer = signed_in.get("/api/probe/desk")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer["Content-Type"] == "application/problem+json"


def test_the_scope_decides_and_desk_asks_for_an_operator(customer: User, staff: User) -> None:
    assert get(**bearer(staff, "read", "order", "pilot")) == (403, "scope_missing")
    assert get(**bearer(customer, "desk")) == (403, "scope_missing")
    assert get(**bearer(staff, "desk")) == (200, "operator@example.org")


@pytest.mark.parametrize("end", ["expired", "revoked", "closed"])
def test_a_token_that_ended_opens_nothing(staff: User, end: str) -> None:
    header, now = bearer(staff, "desk"), timezone.now()
    if end == "expired":
        ApiToken.objects.update(expires_at=now - timedelta(seconds=1))
    elif end == "revoked":
        ApiToken.objects.update(revoked_at=now)
    else:
        User.objects.update(is_active=False)
    assert get(**header) == (401, "token_required")


def test_only_a_hash_is_kept(staff: User) -> None:
    row, plain = ApiToken.issue(staff, "mine", ["read"])
    kept = ApiToken.objects.filter(pk=row.pk).values().get()
    assert plain not in str(kept)
    assert len(plain) > 40


def test_last_use_is_written_once_a_minute(staff: User) -> None:
    header = bearer(staff, "desk")
    get(**header)
    first = ApiToken.objects.get().last_used_at
    get(**header)
    assert first is not None
    assert ApiToken.objects.get().last_used_at == first


def test_the_owner_is_answered_in_their_language_unless_they_ask_for_another(staff: User) -> None:
    User.objects.update(language="fr")
    header = bearer(staff, "desk")
    assert Client().get("/api/probe/desk", **header)["Content-Language"] == "fr"  # type: ignore[arg-type]
    asked = Client().get("/api/probe/desk", **header, HTTP_ACCEPT_LANGUAGE="tr")  # type: ignore[arg-type]
    assert asked["Content-Language"] == "tr"


def test_answers_to_a_token_are_kept_by_nobody(staff: User) -> None:
    answer = Client().get("/api/probe/desk", **bearer(staff, "desk"))  # type: ignore[arg-type]
    assert "no-store" in answer["Cache-Control"]
