"""What people type comes back as text: never as markup, a formula, or a way to another site."""

import pytest
from django.template import Context, Template
from django.test import Client

from billing.statements import harmless
from common.templatetags import kernodeck
from rental.models import User

pytestmark = pytest.mark.django_db

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_a_name_is_text_on_every_page_that_shows_it(signed_in: Client, customer: User) -> None:
    User.objects.filter(pk=customer.pk).update(first_name=MARKUP, last_name="&lt;b&gt;")
    for path in ("/account/", "/account/name", "/"):
        page = signed_in.get(path).content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_what_a_form_refused_comes_back_escaped() -> None:
    typed = {"first_name": MARKUP, "last_name": "B", "email": MARKUP, "password1": "x", "next": MARKUP}
    page = Client().post("/accounts/signup/", typed).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize("name", ["A\u202eB", "A\nB", "A\x1b[31m", "A\u2028B"])
def test_invisible_characters_are_no_name(name: str) -> None:
    typed = {"first_name": name, "last_name": "B", "email": "n@example.org", "password1": "correct horse battery"}
    answer = Client().post("/accounts/signup/", typed)
    assert answer.status_code == 200
    assert not User.objects.exists()


def test_queries_and_addresses_are_escaped_in_links() -> None:
    page = Client().get('/guide/?x="><script>alert(1)</script>').content.decode()
    assert "<script>alert" not in page


@pytest.mark.parametrize("evil", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
@pytest.mark.parametrize("door", ["/accounts/login/", "/accounts/signup/"])
def test_next_leads_nowhere_else(customer: User, door: str, evil: str) -> None:
    typed = {"login": customer.email, "password": "correct horse battery", "next": evil}
    if "signup" in door:
        typed = {"first_name": "A", "last_name": "B", "email": "n@example.org", "password1": "correct horse battery"}
    answer = Client().post(f"{door}?next={evil}", typed | {"next": evil})
    assert answer.status_code == 302
    assert answer["Location"] == "/account/"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_spreadsheet_reads_text_as_text(start: str) -> None:
    assert harmless(f"{start}1+1") == f"'{start}1+1"
    assert harmless("Order paid") == "Order paid"


def test_the_parts_escape_their_words() -> None:
    shown = Template("{% status 'told' word %}{% source 'you' %}{% shape 'late' %}").render(Context({"word": MARKUP}))
    assert "<script>" not in shown
    assert kernodeck.bcp47("pt-br") == "pt-BR"
