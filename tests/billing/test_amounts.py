"""The arithmetic of amounts: properties that hold for every price, rate and coin."""

from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from billing.amounts import credited_cents, due_units, typeable, units_of, value_cents
from billing.networks import NETWORKS, Asset
from common.formats import coin

CENTS = st.integers(1, 10**9)
MICRO = st.integers(1, 10**12)
ASSETS = st.sampled_from([asset for network in NETWORKS.values() for asset in network.assets])


@given(CENTS, MICRO, ASSETS)
@example(130_000, 91_240_500_000, NETWORKS["bitcoin"].assets[0])
def test_what_is_due_is_never_worth_less_than_the_price(cents: int, micro: int, asset: Asset) -> None:
    due = due_units(cents, micro, asset.decimals, asset.typed)
    step = 10 ** (asset.decimals - asset.typed)
    assert due > 0
    assert due % step == 0
    assert due * micro >= cents * 10_000 * 10**asset.decimals
    assert (due - step) * micro < cents * 10_000 * 10**asset.decimals


@given(CENTS, MICRO, ASSETS, st.lists(st.integers(1, 10**6), min_size=1, max_size=8))
def test_parts_credit_exactly_what_the_whole_would(cents: int, micro: int, asset: Asset, parts: list[int]) -> None:
    """However it is cut, the cumulative credit of all parts is the credit of their sum; the whole is the price."""
    due = due_units(cents, micro, asset.decimals, asset.typed)
    cuts = [due * part // sum(parts) for part in parts]
    cuts[-1] += due - sum(cuts)
    posted = 0
    for total in accumulate(cuts):
        more = credited_cents(total, due, cents) - posted
        assert more >= 0
        posted += more
    assert posted == cents


@given(CENTS, MICRO, ASSETS)
def test_one_unit_less_never_covers(cents: int, micro: int, asset: Asset) -> None:
    due = due_units(cents, micro, asset.decimals, asset.typed)
    assert credited_cents(due - 1, due, cents) < cents
    assert credited_cents(due, due, cents) == cents


@given(st.integers(0, 10**30), ASSETS)
def test_amounts_are_read_as_they_are_written(units: int, asset: Asset) -> None:
    text = coin(units, asset.decimals)
    assert units_of(text, asset.decimals) == units


@given(st.integers(0, 10**30), st.integers(0, 18), st.integers(0, 18))
def test_typeable_rounds_up_by_less_than_a_step(units: int, decimals: int, typed: int) -> None:
    typed = min(typed, decimals)
    rounded, step = typeable(units, decimals, typed), 10 ** (decimals - typed)
    assert units <= rounded < units + step
    assert rounded % step == 0
    assert len(coin(rounded, decimals).partition(".")[2]) <= typed


@given(st.integers(0, 10**30), MICRO, st.integers(0, 18))
def test_value_is_rounded_down(units: int, micro: int, decimals: int) -> None:
    cents = value_cents(units, micro, decimals)
    assert cents * 10_000 * 10**decimals <= units * micro < (cents + 1) * 10_000 * 10**decimals


def test_the_largest_wei_is_exact() -> None:
    assert units_of(coin(2**256 - 1, 18), 18) == 2**256 - 1


@pytest.mark.parametrize(
    "text", ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "0x10", "1_000", "٣", "1.123456789", " 1", "1 ", "NaN", "²"]
)
def test_other_writings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"digits|decimal"):
        units_of(text, 8)


@pytest.mark.parametrize(
    ("cents", "micro", "decimals", "typed"), [(0, 1, 8, 7), (1, 0, 8, 7), (1, 1, 6, 7), (-1, 1, 8, 2)]
)
def test_senseless_requests_are_refused(cents: int, micro: int, decimals: int, typed: int) -> None:
    with pytest.raises(ValueError, match="above zero"):
        due_units(cents, micro, decimals, typed)
