"""A customer's own ledger as a page and as a file."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from billing import ledger, statements
from rental.models import User
from tests.billing.conftest import PRICE, Ask, arrive, put


@pytest.fixture
def history(customer: User, olga: User, ask: Ask) -> None:
    request = ask()
    arrive(request, request.due_units, by=olga)
    ledger.charge(customer, 50_000, key="order:A", reference="AAAA-AAAA", by=customer)
    ledger.refund(customer, 20_000, key="refund:A", reference="AAAA-AAAA", by=olga, reason="=not delivered")
    put(customer, -100, olga)


def test_the_page_shows_the_balance_and_what_it_is_made_of(customer: User, history: None) -> None:
    client = Client()
    client.force_login(customer)
    answer = client.get("/account/ledger")
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert html.index("Adjusted by an operator") < html.index("Order AAAA-AAAA refunded")
    assert "BTC received on Bitcoin for order 7Q4M-2X9F" in html
    terms = [(term.sign, term.cents) for term in statements.terms_of(customer)]
    assert terms == [("+", PRICE), ("−", 50_000), ("+", 20_000), ("−", 100)]
    assert sum(-cents if sign == "−" else cents for sign, cents in terms) == ledger.balance_of(customer).cents


def test_nobody_sees_anothers_lines(stranger: User, history: None) -> None:
    client = Client()
    client.force_login(stranger)
    assert "AAAA-AAAA" not in client.get("/account/ledger").content.decode()
    assert b"AAAA-AAAA" not in b"".join(client.get("/account/ledger.csv").streaming_content)  # type: ignore[arg-type]
    for path in ("/account/ledger", "/account/ledger.csv"):
        assert Client().get(path).status_code == 302


def test_pages_by_key_with_the_same_number_of_queries(
    customer: User, olga: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(1, 121):
        put(customer, number, olga)
    client = Client()
    client.force_login(customer)
    seen, path = [], "/account/ledger"
    while path:
        with django_assert_max_num_queries(8):
            context = client.get(path).context
        seen += [line.cents for line in context["entries"]]
        path = f"/account/ledger?after={context['older']}" if context["older"] else ""
    assert seen == list(range(120, 0, -1))
    assert client.get("/account/ledger?after=nonsense").status_code == 404


def test_the_statement_is_numbers_and_harmless_text(customer: User, history: None) -> None:
    client = Client()
    client.force_login(customer)
    answer = client.get("/account/ledger.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert 'attachment; filename="kernodeck-ledger-' in answer["Content-Disposition"]
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[arg-type]
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["Time (UTC)", "What", "Order", "Reason", "Change in USD", "Balance in USD"]
    assert [row[4:] for row in rows[1:]] == [
        ["1300.00", "1300.00"],
        ["-500.00", "800.00"],
        ["200.00", "1000.00"],
        ["-1.00", "999.00"],
    ]
    assert rows[3][3] == "'=not delivered"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")'])
def test_no_text_is_a_formula(text: str) -> None:
    assert statements.harmless(text) == "'" + text
    assert statements.harmless("a" + text) == "a" + text
