"""Outbox and health."""

from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError
from django.test import Client

from rental.models import Letter
from tests.rental.conftest import Place
from tests.rental.pages import text_of

pytestmark = pytest.mark.django_db


def test_outbox_lists_letters_and_shows_each_as_text(client: Client, settings: Any, place: Place) -> None:
    settings.DEMO = True
    assert "No letter was written yet." in text_of(client.get("/outbox/"))
    order = place()
    page = client.get("/outbox/")
    assert order.code in text_of(page)
    assert "no-store" in page["Cache-Control"]
    letter = Letter.objects.get()
    Letter.objects.filter(pk=letter.pk).update(html="<script>alert(1)</script><b>x</b>", text="Hello <b>you</b>")
    html = client.get(f"/outbox/{letter.pk}").content.decode()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "Hello &lt;b&gt;you&lt;/b&gt;" in html


def test_outbox_is_only_for_demos(client: Client, settings: Any, place: Place) -> None:
    place()
    settings.DEMO = False
    assert client.get("/outbox/").status_code == 404
    assert client.get(f"/outbox/{Letter.objects.get().pk}").status_code == 404


def test_health(client: Client) -> None:
    assert client.get("/health/live").json() == {"live": True}
    ready = client.get("/health/ready")
    assert ready.status_code == 200
    assert ready.json()["database"] == "ok"
    # Without the broker pages still serve: it is said, and nothing more.
    assert ready.json()["broker"] in ("ok", "unreachable")
    with mock.patch("rental.views.health.connection.cursor", side_effect=OperationalError("gone")):
        down = client.get("/health/ready")
    assert (down.status_code, down.json()["ready"]) == (503, False)
