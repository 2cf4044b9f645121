"""Asking, telling, seeing, confirming: each fact apart, credit first, and nothing twice."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import desk, ledger, payments, rates
from billing.models import Journal, PaidNotice, PaymentRequest, Receipt, ReceivingAddress
from billing.proof import differences
from billing.signals import balance_credited
from common.refusals import Refusal
from rental.models import User
from tests.billing.conftest import PRICE, Ask, arrive, transaction_of

State = Receipt.State


def code_of(refused: Any) -> str:
    return str(refused.value.code)


# ── asking ──


def test_what_is_asked_for(ask: Ask, customer: User) -> None:
    request = ask()
    assert (request.network, request.asset, request.state) == ("bitcoin", "BTC", "open")
    assert request.due_units * request.rate.micro_usd >= PRICE * 10**4 * 10**8
    assert request.address.address.startswith("bc1q")
    assert request.expires_at > timezone.now()


def test_asking_again_gives_the_same_request_and_another_asset_another_address(ask: Ask) -> None:
    first = ask()
    assert ask() == first
    other = ask("ethereum", "ETH")
    assert other.address_id != first.address_id
    assert ask() == first  # back to the first choice: no address is wasted


def test_every_network_gives_addresses_that_serve_one_request(ask: Ask) -> None:
    pairs = [("bitcoin", "BTC"), ("litecoin", "LTC"), ("ethereum", "ETH"), ("ethereum", "USDC"), ("ethereum", "USDT"),
             ("tron", "USDT"), ("solana", "USDC"), ("monero", "XMR")]  # fmt: skip
    found = [ask(network, asset, reference=f"R{n}") for n in range(2) for network, asset in pairs]
    assert len({(request.network, request.address.address) for request in found}) == len(found)


def test_after_its_deadline_another_request_with_a_new_address_takes_its_place(ask: Ask) -> None:
    first = ask()
    PaymentRequest.objects.filter(pk=first.pk).update(
        created_at=timezone.now() - timedelta(hours=2), expires_at=timezone.now() - timedelta(hours=1)
    )
    second = ask()
    first.refresh_from_db()
    assert first.state == "closed"
    assert second.address_id != first.address_id
    assert [(move.old, move.new, move.code) for move in first.moves.all()] == [("open", "closed", "asked_again")]


@pytest.mark.parametrize(
    ("network", "asset", "code"),
    [
        ("dogecoin", "DOGE", "unknown_network"),
        ("bitcoin", "ETH", "unknown_asset"),
        ("tron", "USDC", "unknown_asset"),
        ("", "", "unknown_network"),
    ],
)
def test_only_listed_assets_on_their_networks(ask: Ask, network: str, asset: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        ask(network, asset)
    assert (code_of(refused), refused.value.status) == (code, 422)


def test_a_deadline_in_the_past_is_refused(ask: Ask) -> None:
    with pytest.raises(Refusal, match="deadline_passed"):
        ask(until=timezone.now())


def test_a_missing_or_stale_rate_turns_the_asset_off_and_only_it(ask: Ask, olga: User) -> None:
    from billing.models import Rate

    Rate.objects.filter(asset="XMR").delete()
    with pytest.raises(Refusal, match="rate_missing"):
        ask("monero", "XMR")
    then = timezone.now() - timedelta(hours=2)
    rates.set_rate("LTC", Decimal("81.5"), by=olga, valid_for=timedelta(hours=1), now=then)
    with pytest.raises(Refusal, match="rate_stale"):
        ask("litecoin", "LTC")
    assert ask().state == "open"


def test_a_used_up_pool_turns_the_network_off(ask: Ask) -> None:
    ReceivingAddress.objects.filter(network="monero").update(taken_at=timezone.now())
    with pytest.raises(Refusal, match="no_address"):
        ask("monero", "XMR")
    assert not PaymentRequest.objects.exists()


def test_nobody_collects_addresses(ask: Ask) -> None:
    for number in range(payments.MOST_UNUSED):
        ask(reference=f"R{number}")
    with pytest.raises(Refusal) as refused:
        ask(reference="one more")
    assert (code_of(refused), refused.value.status) == ("too_many_requests", 429)


def test_the_rate_of_a_request_stays(ask: Ask, olga: User) -> None:
    request = ask()
    due = request.due_units
    rates.set_rate("BTC", Decimal("45000"), by=olga, valid_for=timedelta(hours=1))
    request.refresh_from_db()
    assert (request.due_units, request.rate.micro_usd) == (due, 90_000_000_000)
    assert arrive(request, due, by=olga).credited_cents == PRICE


# ── the notice ──


def test_a_notice_is_noted_once_and_moves_nothing(ask: Ask, customer: User) -> None:
    request = ask()
    first = payments.note_paid(request)
    assert all(payments.note_paid(request) == first for _ in range(5))
    assert PaidNotice.objects.get().noted_at == first.noted_at
    request.refresh_from_db()
    assert request.state == "open"
    assert ledger.balance_of(customer) == ledger.Balance(0, 0)
    assert not Journal.objects.exists()


def test_a_transaction_id_may_be_added_once(ask: Ask) -> None:
    request = ask()
    payments.note_paid(request)
    notice = payments.note_paid(request, " " + "AB" * 32 + " ")
    assert notice.transaction == "ab" * 32
    assert payments.note_paid(request, "ab" * 32).transaction_at == notice.transaction_at
    with pytest.raises(Refusal, match="transaction_noted"):
        payments.note_paid(request, "cd" * 32)
    assert payments.note_paid(request).transaction == "ab" * 32


@pytest.mark.parametrize("text", ["x", "ab" * 31, "0x" + "ab" * 32, "ab" * 31 + "é1", "=" * 64])
def test_nonsense_is_no_transaction_id_and_notes_nothing(ask: Ask, text: str) -> None:
    with pytest.raises(Refusal) as refused:
        payments.note_paid(ask(), text)
    assert (code_of(refused), refused.value.field) == ("bad_transaction", "transaction")
    assert not PaidNotice.objects.exists()


def test_a_transaction_id_serves_one_order(ask: Ask, stranger: User) -> None:
    payments.note_paid(ask(), "ab" * 32)
    other = ask(customer=stranger, reference="other")
    with pytest.raises(Refusal, match="transaction_claimed"):
        payments.note_paid(other, "ab" * 32)
    assert payments.note_paid(other).transaction is None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.sampled_from(["again", "with id", "other id", "nonsense", "close", "ask"]), max_size=12))
def test_no_sequence_of_notices_moves_money(ask: Ask, customer: User, steps: list[str]) -> None:
    request = ask()
    for step in steps:
        try:
            match step:
                case "close":
                    payments.close(request.reference)
                case "ask":
                    request = ask()
                case _:
                    ids = {"with id": "ab" * 32, "other id": "cd" * 32, "nonsense": "x"}
                    payments.note_paid(request, ids.get(step))
        except Refusal:
            pass
    assert not Journal.objects.exists()
    assert not Receipt.objects.exists()
    assert not PaymentRequest.objects.filter(state="covered").exists()
    assert ledger.balance_of(customer) == ledger.Balance(0, 0)


# ── receipts ──


def test_what_is_seen_is_held_and_what_is_confirmed_is_credited(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    seen = arrive(request, request.due_units, confirmed=False, by=None)
    assert (seen.state, ledger.balance_of(customer)) == (State.SEEN, ledger.Balance(0, PRICE))
    confirmed = payments.confirm(seen, by=olga, evidence="2 blocks")
    assert (confirmed.state, confirmed.credited_cents) == (State.CONFIRMED, PRICE)
    assert ledger.balance_of(customer) == ledger.Balance(PRICE, 0)
    request.refresh_from_db()
    assert request.state == "covered"
    assert [(m.old, m.new, m.code, m.actor_id) for m in confirmed.moves.order_by("id")] == [
        ("", "seen", "seen", None),
        ("seen", "confirmed", "confirmed", olga.pk),
    ]
    assert differences() == []


def test_the_same_receipt_again_changes_nothing(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    facts = {"transaction": "ab" * 32, "output": 3}
    first = arrive(request, 5_000, by=olga, **facts)
    for confirmed in (True, False):
        again = arrive(request, 5_000, confirmed=confirmed, by=olga, **facts)
        assert (again.pk, again.state, again.credited_cents) == (first.pk, State.CONFIRMED, first.credited_cents)
    assert ledger.balance_of(customer).cents == first.credited_cents
    assert Receipt.objects.get().moves.count() == 2


def test_another_amount_under_the_same_output_is_refused(ask: Ask, olga: User) -> None:
    request = ask()
    arrive(request, 5_000, by=olga, transaction="ab" * 32)
    for other in ({"units": 5_001}, {"units": 5_000, "address": ask(reference="other").address.address}):
        with pytest.raises(Refusal) as refused:
            arrive(request, other.pop("units"), by=olga, transaction="ab" * 32, **other)  # type: ignore[arg-type]
        assert (code_of(refused), refused.value.status) == ("receipt_differs", 409)


def test_short_extra_and_more_money_take_one_path(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    third = request.due_units // 3
    arrive(request, third, by=olga)
    request.refresh_from_db()
    assert request.state == "open"
    arrive(request, request.due_units - third, by=olga)
    request.refresh_from_db()
    assert (request.state, ledger.balance_of(customer).cents) == ("covered", PRICE)
    arrive(request, request.due_units, by=olga)  # sent twice after all: it is the customer's
    assert ledger.balance_of(customer).cents == 2 * PRICE
    assert differences() == []


def test_the_signal_comes_after_the_commit_with_the_customer(
    ask: Ask, customer: User, olga: User, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[dict[str, Any]] = []

    def listen(sender: object, **facts: Any) -> None:
        heard.append(facts)

    balance_credited.connect(listen)
    try:
        request = ask()
        with django_capture_on_commit_callbacks(execute=True):
            arrive(request, 5_000, by=olga)
            assert heard == []
        assert [(facts["customer_id"], facts["reference"]) for facts in heard] == [(customer.pk, "7Q4M-2X9F")]
        with django_capture_on_commit_callbacks(execute=True):
            arrive(request, 5_000, confirmed=False, by=olga)
        assert len(heard) == 1
    finally:
        balance_credited.disconnect(listen)


def test_money_for_a_closed_request_is_still_credited(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    payments.close(request.reference)
    arrive(request, request.due_units, by=olga)
    request.refresh_from_db()
    assert (request.state, ledger.balance_of(customer).cents) == ("covered", PRICE)


def test_an_amount_too_small_for_a_cent_is_kept_and_counts_later(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    assert arrive(request, 1, by=olga).credited_cents == 0
    arrive(request, request.due_units - 1, by=olga)
    assert ledger.balance_of(customer).cents == PRICE
    assert differences() == []


def test_late_money_counts_at_the_rate_of_its_confirmation(
    ask: Ask, customer: User, olga: User, settings: LazySettings
) -> None:
    request = ask()
    grace = timedelta(minutes=settings.LATE_GRACE_MINUTES)
    rates.set_rate("BTC", Decimal("45000"), by=olga, valid_for=timedelta(hours=1))
    slow = arrive(request, request.due_units // 2, by=olga, at=request.expires_at + grace - timedelta(seconds=1))
    late = arrive(request, request.due_units // 2, by=olga, at=request.expires_at + grace + timedelta(seconds=1))
    assert (slow.late, slow.credited_cents) == (False, PRICE // 2 - 1 if request.due_units % 2 else PRICE // 2)
    assert (late.late, late.rate.micro_usd if late.rate else None) == (True, 45_000_000_000)
    assert late.credited_cents == request.due_units // 2 * 4_500_000 // 10**8
    assert differences() == []


def test_late_money_without_a_rate_waits_unconfirmed(ask: Ask, olga: User) -> None:
    from billing.models import Rate

    request = ask()
    seen = arrive(request, 5_000, confirmed=False, by=olga, at=request.expires_at + timedelta(days=9))
    Rate.objects.filter(asset="BTC").update(set_at=timezone.now() - timedelta(2), valid_until=timezone.now())
    with pytest.raises(Refusal, match="rate_stale"):
        payments.confirm(seen, by=olga, evidence="e")
    seen.refresh_from_db()
    assert seen.state == State.SEEN


def test_another_asset_at_the_address_is_credited_to_nobody(ask: Ask, customer: User, olga: User) -> None:
    request = ask("ethereum", "USDC")
    receipt = arrive(request, 10**18, by=olga, asset="ETH")
    assert (receipt.state, receipt.problem, receipt.credited_cents) == (State.CONFIRMED, "wrong_asset", 0)
    assert ledger.balance_of(customer).cents == 0
    assert list(desk.receipts_of_nobody()) == [receipt]
    assert arrive(request, request.due_units, by=olga).credited_cents == PRICE


def test_an_address_given_to_nobody_is_recorded_and_shown(sources: None, olga: User) -> None:
    facts = {"network": "ethereum", "transaction": "0x" + "ab" * 32, "output": 0, "amount": 5, "evidence": "e",
             "confirmed": True, "by": olga, "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}  # fmt: skip
    with pytest.raises(Refusal, match="asset_needed"):
        payments.record_receipt(**facts)
    receipt = payments.record_receipt(**facts, asset="USDT")
    assert (receipt.problem, receipt.request, receipt.credited_cents) == ("unknown_address", None, 0)
    assert list(desk.receipts_of_nobody()) == [receipt]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"transaction": "ab"}, "bad_transaction"),
        ({"address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"}, "bad_address"),
        ({"output": -1}, "bad_output"),
        ({"amount": 0}, "bad_amount"),
        ({"amount": 10**78}, "bad_amount"),
        ({"amount": 10**60}, "bad_amount"),
        ({"evidence": " \0 "}, "evidence_missing"),
        ({"network": "base"}, "unknown_network"),
        ({"asset": "ETH"}, "unknown_asset"),
    ],
)
def test_facts_that_cannot_be_are_refused(ask: Ask, olga: User, wrong: dict[str, Any], code: str) -> None:
    facts: dict[str, Any] = {
        "network": "bitcoin", "transaction": "ab" * 32, "output": 0, "address": ask().address.address,
        "amount": 5, "evidence": "e", "confirmed": True, "by": olga,
    }  # fmt: skip
    with pytest.raises(Refusal) as refused:
        payments.record_receipt(**facts | wrong)
    assert (code_of(refused), refused.value.status) == (code, 422)
    assert not Receipt.objects.exists()


def test_a_replaced_transaction_counts_no_more_and_may_come_back(ask: Ask, customer: User, olga: User) -> None:
    request = ask()
    receipt = arrive(request, request.due_units, confirmed=False, by=None)
    payments.replace(receipt, by=None, evidence="reorganised")
    assert (receipt.state, ledger.balance_of(customer).held_cents) == (State.REPLACED, 0)
    payments.replace(receipt, by=None, evidence="again")
    assert receipt.moves.count() == 2
    back = payments.confirm(receipt, by=olga, evidence="mined after all")
    assert (back.state, ledger.balance_of(customer).cents) == (State.CONFIRMED, PRICE)
    with pytest.raises(Refusal, match="receipt_confirmed"):
        payments.replace(back, by=olga, evidence="e")
    assert differences() == []


# ── two persons ──


def test_a_large_sum_wants_two_operators(
    ask: Ask, customer: User, olga: User, oskar: User, settings: LazySettings
) -> None:
    settings.TWO_PERSON_CENTS = PRICE - 1
    request = ask()
    for _ in range(2):
        receipt = arrive(request, request.due_units, by=olga, transaction="ab" * 32)
        assert (receipt.state, receipt.vouched_by_id) == (State.SEEN, olga.pk)
    assert ledger.balance_of(customer).cents == 0
    assert list(desk.receipts_to_confirm()) == [receipt]
    done = payments.confirm(receipt, by=oskar, evidence="seen too")
    assert (done.state, done.vouched_by_id, done.confirmed_by_id) == (State.CONFIRMED, olga.pk, oskar.pk)
    assert ledger.balance_of(customer).cents == PRICE


def test_small_parts_do_not_go_around_the_second_operator(ask: Ask, olga: User, settings: LazySettings) -> None:
    settings.TWO_PERSON_CENTS = PRICE // 2
    request = ask()
    part = request.due_units // 4
    states = [arrive(request, part, by=olga).state for _ in range(4)]
    assert states[:2] == [State.CONFIRMED, State.CONFIRMED]
    assert set(states[2:]) == {State.SEEN}


def test_a_watcher_needs_no_second_person(ask: Ask, settings: LazySettings) -> None:
    settings.TWO_PERSON_CENTS = 1
    request = ask()
    assert arrive(request, request.due_units, by=None).state == State.CONFIRMED


def test_the_desk_lists_notices_until_something_was_seen(ask: Ask, olga: User) -> None:
    request = ask()
    notice = payments.note_paid(request)
    assert list(desk.notices_without_receipt()) == [notice]
    arrive(request, 5_000, confirmed=False, by=olga, transaction=transaction_of("bitcoin"))
    assert list(desk.notices_without_receipt()) == []
