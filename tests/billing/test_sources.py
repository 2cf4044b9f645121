"""Rates, keys and pools: who may set them, what is refused, and what production does not start with."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.utils import timezone

from billing import checks, examples, rates, receiving
from billing.models import AddressKey, Rate, ReceivingAddress
from common.refusals import Refusal
from rental.models import User

HOUR = timedelta(hours=1)
ZPUB = "zpub6rPo5mF47z5coVm5rvWv7fv181awb7Vckn5Cf3xQXBVKu18kuBHDhNi1Jrb4br6vVD3ZbrnXemEsWJoR18mZwkUdzwD8TQnHDUCGxqZ6swA"


# ── rates ──


def test_the_newest_line_counts_and_keeps_who_and_when(olga: User) -> None:
    now = timezone.now()
    rates.set_rate("BTC", Decimal("91000"), by=olga, valid_for=HOUR, now=now - timedelta(minutes=5))
    newest = rates.set_rate("BTC", Decimal("91240.503001"), by=olga, valid_for=HOUR, now=now)
    assert rates.current("BTC", now) == newest
    assert (newest.micro_usd, newest.set_by_id, newest.set_at) == (91_240_503_001, olga.pk, now)
    assert Rate.objects.count() == 2


def test_a_rate_ends_at_its_instant(olga: User) -> None:
    now = timezone.now()
    rates.set_rate("BTC", Decimal("1"), by=olga, valid_for=HOUR, now=now)
    assert rates.current("BTC", now + HOUR - timedelta(microseconds=1)).micro_usd == 1_000_000
    with pytest.raises(Refusal, match="rate_stale"):
        rates.current("BTC", now + HOUR)
    with pytest.raises(Refusal, match="rate_missing"):
        rates.current("ETH", now)


@pytest.mark.parametrize("usd", ["0", "-1", "NaN", "Infinity", "1.0000001", "1e13"])
def test_senseless_rates_are_refused(olga: User, usd: str) -> None:
    with pytest.raises(Refusal, match="invalid_rate"):
        rates.set_rate("BTC", Decimal(usd), by=olga, valid_for=HOUR)


@pytest.mark.parametrize("valid", [timedelta(), timedelta(seconds=-1), timedelta(days=7, seconds=1)])
def test_a_rate_is_not_for_ever(olga: User, valid: timedelta) -> None:
    with pytest.raises(Refusal, match="invalid_validity"):
        rates.set_rate("BTC", Decimal(1), by=olga, valid_for=valid)
    with pytest.raises(Refusal, match="unknown_asset"):
        rates.set_rate("DOGE", Decimal(1), by=olga, valid_for=HOUR)


def test_example_rates_are_renewed_only_where_the_operator_has_none(olga: User) -> None:
    now = timezone.now()
    own = rates.set_rate("BTC", Decimal("5"), by=olga, valid_for=HOUR, now=now)
    assert rates.renew_examples(now) == 5
    assert rates.renew_examples(now) == 0
    assert rates.current("BTC", now) == own
    assert rates.renew_examples(now + timedelta(days=3)) == 6
    assert all(isinstance(rate, Rate) for rate in rates.newest(now + timedelta(days=3)).values())


# ── keys and pools ──


def test_a_key_is_used_only_after_another_operator_approved_it(olga: User, oskar: User) -> None:
    key = receiving.propose_key("litecoin", f" {ZPUB} ", by=olga)
    assert receiving.first_addresses(key)[0] == "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh"
    with pytest.raises(Refusal, match="no_address"):
        receiving.take("litecoin")
    with pytest.raises(Refusal, match="same_person"):
        receiving.approve_key(key, by=olga)
    assert receiving.approve_key(key, by=oskar).state == "active"
    assert receiving.take("litecoin").address == "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh"
    with pytest.raises(Refusal, match="not_proposed"):
        receiving.approve_key(key, by=oskar)
    with pytest.raises(Refusal, match="key_known"):
        receiving.propose_key("litecoin", ZPUB, by=olga)


def test_a_new_key_takes_the_place_of_the_old_one(sources: None, olga: User, oskar: User) -> None:
    old = AddressKey.objects.get(network="ethereum", state="active")
    # BIP32's second vector, as if it were the account of another wallet: made for this test.
    new = AddressKey.objects.create(network="ethereum", public_key="xpub", fingerprint="1", proposed_by=olga)
    receiving.approve_key(new, by=oskar)
    old.refresh_from_db()
    assert (old.state, AddressKey.objects.get(network="ethereum", state="active")) == ("retired", new)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE",
    ],
)
def test_other_keys_are_refused(olga: User, text: str) -> None:
    with pytest.raises(Refusal, match="bad_key"):
        receiving.propose_key("bitcoin", text, by=olga)
    assert not AddressKey.objects.exists()


def test_a_pool_is_checked_whole_before_anything_is_added(db: None) -> None:
    pool = examples.example_pool("solana", 0, 3)
    with pytest.raises(Refusal) as refused:
        receiving.add_to_pool("solana", [*pool, "nonsense"])
    assert refused.value.data == {"line": 4}
    assert not ReceivingAddress.objects.exists()
    assert receiving.add_to_pool("solana", pool) == 3
    assert receiving.add_to_pool("solana", [f" {pool[0]} ", *examples.example_pool("solana", 3, 1)]) == 1
    assert [receiving.take("solana").address for _ in range(2)] == pool[:2]
    with pytest.raises(Refusal, match="pool_not_used"):
        receiving.add_to_pool("bitcoin", pool)


def test_examples_are_filled_up_and_marked(sources: None) -> None:
    count = ReceivingAddress.objects.count()
    receiving.ensure_examples()
    assert ReceivingAddress.objects.count() == count == 2 * receiving.EXAMPLE_POOL
    assert ReceivingAddress.objects.filter(example=False).count() == 0
    assert all(receiving.take(network).example for network in ("bitcoin", "monero"))


# ── production ──


def found(settings: Any) -> set[str]:
    settings.PRODUCTION = True
    return {str(error.id) for error in checks.no_examples(None, ["default"])}


def test_production_does_not_start_on_examples(sources: None, settings: Any, capsys: Any) -> None:
    assert found(settings) == {"billing.E101", "billing.E102", "billing.E104"}
    with pytest.raises(SystemCheckError, match="example keys"):
        call_command("check", tags=["production"], databases=["default"])


def test_an_example_key_put_forward_as_ones_own_is_found(olga: User, settings: Any) -> None:
    AddressKey.objects.create(
        network="bitcoin", public_key=examples.EXAMPLE_KEYS["bitcoin"], fingerprint="1", state="active"
    )
    assert found(settings) == {"billing.E101"}


def test_production_starts_without_examples_and_a_trial_with_them(db: None, settings: Any) -> None:
    assert found(settings) == set()
    settings.PRODUCTION = False
    receiving.ensure_examples()
    assert checks.no_examples(None, ["default"]) == []
    settings.PRODUCTION = True
    for act in (receiving.ensure_examples, lambda: rates.renew_examples(timezone.now())):
        with pytest.raises(RuntimeError, match="production"):
            act()
