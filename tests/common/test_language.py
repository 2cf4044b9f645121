"""The language of a page: asked for, remembered, the account's, the browser's; and never a way off the site."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from common.middleware import language
from rental.models import User

pytestmark = pytest.mark.django_db


def test_a_choice_is_remembered_and_leaves_the_address() -> None:
    client = Client()
    answer = client.get("/guide/?a=1&language=pt-BR&b=%C3%A9")
    assert (answer.status_code, answer["Location"]) == (302, "/guide/?a=1&b=%C3%A9")
    page = client.get("/guide/", HTTP_ACCEPT_LANGUAGE="fr")
    assert page["Content-Language"] == "pt-br"
    assert '<html lang="pt-BR"' in page.content.decode()


@pytest.mark.parametrize("path", ["//evil.example/", "///evil.example/x", "/\\evil.example"])
def test_the_redirect_stays_here(path: str) -> None:
    answer = Client().get("/", PATH_INFO=path, QUERY_STRING="language=fr")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/")
    assert not answer["Location"].startswith(("//", "/\\"))


@pytest.mark.parametrize("code", ["xx", "fr/../../etc", "<script>", ""])
def test_an_unknown_language_changes_nothing(code: str) -> None:
    answer = Client().get("/", {"language": code})
    assert answer.status_code == 200
    assert "django_language" not in answer.cookies


def test_a_form_is_not_turned_into_a_redirect(signed_in: Client) -> None:
    assert signed_in.post("/account/name?language=fr", {"first_name": "A", "last_name": "B"})["Location"] == "/account/"


def test_the_browser_then_the_account_then_the_choice(signed_in: Client, customer: User) -> None:
    assert Client().get("/", HTTP_ACCEPT_LANGUAGE="es")["Content-Language"] == "es"
    User.objects.filter(pk=customer.pk).update(language="tr")
    assert signed_in.get("/", HTTP_ACCEPT_LANGUAGE="es")["Content-Language"] == "tr"
    signed_in.get("/?language=fr")
    assert signed_in.get("/", HTTP_ACCEPT_LANGUAGE="es")["Content-Language"] == "fr"
    customer.refresh_from_db()
    assert customer.language == "fr"


def test_the_switch_keeps_the_query_and_names_each_language_in_its_own_words() -> None:
    page = Client().get("/?card=h100&lots=2").content.decode()
    assert 'href="?card=h100&amp;lots=2&amp;language=tr" lang="tr" hreflang="tr">Türkçe</a>' in page
    assert 'lang="en" hreflang="en" aria-current="true">English</a>' in page


def test_pages_vary_by_what_decides_their_language() -> None:
    assert {"Accept-Language", "Cookie"} <= set(Client().get("/")["Vary"].split(", "))


def test_a_streamed_answer_speaks_its_language_to_the_end() -> None:
    def parts() -> Iterator[bytes]:
        yield str(translation.get_language()).encode()

    def view(_request: HttpRequest) -> HttpResponseBase:
        return StreamingHttpResponse(parts())

    request = RequestFactory().get("/", HTTP_ACCEPT_LANGUAGE="tr")
    request.user = AnonymousUser()
    answer = language(view)(request)  # type: ignore[arg-type]
    assert b"".join(answer) == b"tr"  # type: ignore[arg-type]
    assert translation.get_language() != "tr"
