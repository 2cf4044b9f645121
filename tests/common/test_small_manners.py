"""Small manners: an unknown method in the API, a stranger's host name in the log, units and questions in a language."""

import logging
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import translation

from common import formats
from common.logs import NoAlarm
from common.templatetags.kernodeck import question


def test_an_api_address_refuses_a_method_as_a_problem(db: None) -> None:
    answer = Client().delete("/api/v1/cards")
    assert answer.status_code == 405
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "method_not_allowed"
    assert "GET" in answer["Allow"]


def test_another_host_name_is_a_warning_without_a_traceback(db: None, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("django.security.DisallowedHost").addFilter(NoAlarm())
    Client().get("/", headers={"host": "evil.example"})
    [record] = [line for line in caplog.records if line.name == "django.security.DisallowedHost"]
    assert (record.levelname, record.exc_info) == ("WARNING", None)


def test_turkish_has_its_own_units() -> None:
    with translation.override("tr"):
        assert formats.span(timedelta(minutes=6, seconds=41)).replace("\u00a0", " ") == "6 dk 41 sn"
        assert formats.span(timedelta(hours=2, minutes=5)).replace("\u00a0", " ") == "2 sa 05 dk"
    with translation.override("fr"):
        assert formats.span(0.4).replace("\u00a0", " ") == "0,4 s"


def test_a_limit_in_mebibytes_is_said_whole() -> None:
    with translation.override("en"):
        assert formats.size(512 * 1024**2).replace("\u00a0", " ") == "512 MiB"
        assert formats.size(8 * 1024**3).replace("\u00a0", " ") == "8 GiB"
        assert formats.size(536_870_913).replace("\u00a0", " ") == "536.9 MB"


def test_after_a_question_comes_no_colon() -> None:
    assert question("What did you measure?")
    assert not question("Email")
