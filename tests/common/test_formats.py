"""Figures in five languages; what is to be copied, the same in all of them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from babel.numbers import format_decimal
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from common import formats

AT = datetime(2026, 11, 30, 21, 5, 9, tzinfo=UTC)
THIN, NO_BREAK = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("code", "money", "moment", "share"),
    [
        ("en", "1,300.00 USD", "30 Nov 2026, 21:05 UTC", "98.4%"),
        ("fr", f"1{THIN}300,00 USD", "30 nov. 2026, 21:05 UTC", "98,4 %"),
        ("es", "1.300,00 USD", "30 nov 2026, 21:05 UTC", "98,4 %"),
        ("pt-br", "1.300,00 USD", "30 nov. 2026, 21:05 UTC", "98,4%"),
        ("tr", "1.300,00 USD", "30 Kas 2026, 21:05 UTC", "%98,4"),
    ],
)
def test_money_times_and_shares(code: str, money: str, moment: str, share: str) -> None:
    with translation.override(code):
        assert formats.usd(130_000) == money.replace(" USD", f"{NO_BREAK}USD")
        assert formats.when(AT) == moment
        assert formats.percent(0.984) == share.replace(" %", f"{NO_BREAK}%")


@given(cents=st.integers(-(10**17), 10**17), code=st.sampled_from(["en", "fr", "es", "pt_BR", "tr"]))
def test_amounts_agree_with_babel(cents: int, code: str) -> None:
    with translation.override(code.replace("_BR", "-br")):
        told = format_decimal(Decimal(cents) / 100, "#,##0.00", locale=code)
        assert formats.amount(cents).replace(formats.MINUS, "-") == told


@given(units=st.integers(0, 10**30), decimals=st.integers(0, 18), code=st.sampled_from(["en", "fr", "tr"]))
def test_coins_are_plain_ascii_and_exact_everywhere(units: int, decimals: int, code: str) -> None:
    with translation.override(code):
        text = formats.coin(units, decimals)
    assert text.isascii()
    whole, _point, rest = text.partition(".")
    assert int(whole + rest.ljust(decimals, "0")) == units
    assert not rest.endswith("0")


def test_changes_carry_their_sign() -> None:
    with translation.override("en"):
        assert [formats.change(cents) for cents in (15_000, -39_000, 0)] == ["+150.00", "−390.00", "0.00"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.41, "0.4 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (401, "6 min 41 s"),
        (7500, "2 h 05 min"),
        (72 * 3600, "72 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    with translation.override("en"):
        assert formats.span(timedelta(seconds=seconds)).replace(NO_BREAK, " ") == text
        assert formats.span(seconds).replace(NO_BREAK, " ") == text


def test_sizes_and_numbers() -> None:
    with translation.override("en"):
        assert formats.size(999) == f"999{NO_BREAK}B"
        assert formats.size(2_400_000) == f"2.4{NO_BREAK}MB"
        assert formats.size(999_999) == f"1.0{NO_BREAK}MB"
        assert [formats.number(n) for n in (12_000, 0.5, 0.1234, 100.0)] == ["12,000", "0.5", "0.123", "100"]


def test_a_zone_is_always_named() -> None:
    with translation.override("en"):
        assert formats.when(AT, "Europe/Paris") == "30 Nov 2026, 22:05 Europe/Paris"
        assert formats.when(AT, seconds=True) == "30 Nov 2026, 21:05:09 UTC"
