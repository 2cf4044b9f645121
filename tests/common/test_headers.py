"""Headers of every address there is: strict policy, no sniffing, nothing kept of a signed-in page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from rental.models import User

pytestmark = pytest.mark.django_db

SAMPLES = {"int": "1", "str": "x", "slug": "x", "uuid": "00000000-0000-0000-0000-000000000000", "path": "x"}


def addresses(patterns: list[Any] | None = None, before: str = "") -> Iterator[str]:
    """Every address of the site, its parts filled with samples."""
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            route = re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES.get(found[1] or "str", "x"), route)
            # allauth and the admin have some addresses as regular expressions.
            route = re.sub(r"\(\?P<\w+>[^)]*\)", "x", route)
            yield "/" + re.sub(r"[\^$\\]|\(\?:?|\)|[?+*]", "", route)


ALL = sorted({address for address in addresses() if not address.startswith(("/admin/", "/accounts/logout"))})


def check(answer: Any, signed_in: bool) -> None:
    policy = answer["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "data:" not in policy
    assert directives["default-src"] == "'none'"
    assert directives["frame-ancestors"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == directives["form-action"] == "'self'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    if signed_in:
        assert "no-store" in answer["Cache-Control"]
        assert "private" in answer["Cache-Control"]


@pytest.mark.parametrize("address", ALL)
def test_headers_of_every_address(address: str, customer: User) -> None:
    client = Client(raise_request_exception=False)
    check(client.get(address), signed_in=False)
    client.force_login(customer, "allauth.account.auth_backends.AuthenticationBackend")
    answer = client.get(address)
    assert answer.status_code < 500, address
    check(answer, signed_in=True)


def test_there_are_addresses() -> None:
    assert len(ALL) > 40
    assert "/account/tokens/" in ALL


def test_cookies_are_closed_to_scripts_and_other_sites(customer: User) -> None:
    client = Client()
    client.get("/?language=fr")
    client.post("/accounts/login/", {"login": customer.email, "password": "correct horse battery"})
    for name in ("sessionid", "django_language"):
        assert client.cookies[name]["httponly"]
        assert client.cookies[name]["samesite"] == "Lax"


def test_another_host_name_is_refused() -> None:
    answer = Client().get("/", HTTP_HOST="evil.example")
    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()
