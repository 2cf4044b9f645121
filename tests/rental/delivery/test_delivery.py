"""Delivery: what hosts must show, the term to the second, the access and who read it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings as conf
from django.utils import timezone

from common.refusals import Refusal
from rental.catalogue.book import set_price
from rental.delivery import handover, matching, sealing, wiping
from rental.models import Access, AccessReveal, Card, CardProof, Order, OrderHost, User
from rental.orders import ordering, terms
from tests.rental.conftest import DRIVER_WORDS, show

Place = Callable[..., Order]
Put = Callable[[User, int], None]


def differences(order: Order, hosts: list[str], by: User) -> list[str]:
    """Hand over and be refused: the codes of what was different; nothing may have changed."""
    before = order.moves.count()
    with pytest.raises(Refusal) as caught:
        handover.hand_over(order, hosts=hosts, access="ssh x", by=by)
    assert caught.value.code == "cards_not_proved"
    order.refresh_from_db()
    assert order.state == Order.State.PAID
    assert (order.moves.count(), OrderHost.objects.filter(order=order).count()) == (before, 0)
    assert not Access.objects.filter(order=order).exists()
    return [difference["code"] for difference in caught.value.data["differences"]]


@pytest.mark.parametrize("slug", DRIVER_WORDS)
def test_each_card_is_known_by_its_drivers_own_words(catalogue: dict[str, Card], slug: str) -> None:
    found = show("host-1", catalogue[slug], 2)
    assert [proof.card.slug for proof in found] == [slug]


@pytest.mark.parametrize(
    ("backend", "model", "memory"),
    [
        ("cuda", "NVIDIA A100-SXM4-40GB", 40.0),
        ("cuda", "NVIDIA GH200 480GB", 95.6),
        ("cuda", "NVIDIA H100 NVL", 93.1),
        ("cuda", "NVIDIA GeForce RTX 4090 Laptop GPU", 16.0),
        ("cuda", "NVIDIA GeForce RTX 4090 D", 24.0),
        ("cuda", "NVIDIA L40", 45.0),
        ("rocm", "NVIDIA H100 80GB HBM3", 80.0),
        ("cuda", "AMD Instinct MI300X", 192.0),
        ("rocm", "AMD Instinct MI300A", 128.0),
        ("cuda", "NVIDIA H100 80GB HBM3", 10.0),  # a slice of the card
        ("cuda", "", 80.0),
    ],
)
def test_another_card_is_no_proof(catalogue: dict[str, Card], backend: str, model: str, memory: float) -> None:
    assert matching.cards_shown(backend, model, memory) == []


def test_what_differs_is_named(paid: Place, catalogue: dict[str, Card], staff: User) -> None:
    order = paid(card="b200", days=7, lots=2)
    assert differences(order, ["nobody"], staff) == ["no_proof"]
    show("other", catalogue["h100"], 8)
    assert differences(order, ["other"], staff) == ["other_card"]
    show("old", catalogue["b200"], 4, hours_ago=conf.PROOF_HOURS + 0.1)
    assert differences(order, ["old"], staff) == ["proof_too_old"]
    show("three", catalogue["b200"], 3)
    assert differences(order, ["three"], staff) == ["too_few_cards"]
    show("ones-a", catalogue["b200"], 1)
    show("ones-b", catalogue["b200"], 1)
    assert differences(order, ["three", "ones-a"], staff) == ["too_few_cards"]  # four cards, one whole lot
    assert differences(order, ["three", "nobody", "other"], staff) == ["no_proof", "other_card"]


def test_the_refusal_says_what_is_there_and_what_was_sold(paid: Place, catalogue: Any, staff: User) -> None:
    order = paid(card="b200", days=7, lots=2)
    show("other", catalogue["h100"], 8)
    with pytest.raises(Refusal) as caught:
        handover.hand_over(order, hosts=["other"], access="x", by=staff)
    sentence = str(caught.value.sentence)
    assert "8 × NVIDIA H100 80GB HBM3 (cuda, 80 GB)" in sentence
    assert "4 × B200 (cuda, 180 GB)" in sentence


def test_a_later_look_replaces_an_earlier_one(paid: Place, catalogue: dict[str, Card], staff: User) -> None:
    order = paid(card="h100", lots=2)
    show("host-1", catalogue["h100"], 2, hours_ago=1)
    show("host-1", catalogue["h100"], 1)
    assert differences(order, ["host-1"], staff) == ["too_few_cards"]
    handover.record_card_proof(
        host_ref="host-1", backend="cuda", model="NVIDIA T4", count=1, memory_gb=15.8, facts={}, at=timezone.now()
    )
    assert differences(order, ["host-1"], staff) == ["other_card"]


def test_lots_may_lie_on_several_hosts(paid: Place, catalogue: dict[str, Card], staff: User) -> None:
    order = paid(card="b200", lots=3)
    show("host-1", catalogue["b200"], 4)
    show("host-2", catalogue["b200"], 2)
    handover.hand_over(order, hosts=["host-1", "host-2"], access="ssh x", by=staff)
    assert handover.hosts_of(order) == ["host-1", "host-2"]


def test_a_host_serves_one_order_until_its_end(deliver: Place, paid: Place, staff: User) -> None:
    first = deliver(host="host-1")
    second = paid()
    assert differences(second, ["host-1"], staff) == ["host_in_use"]
    assert first.ends_at is not None
    terms.end_due(first.ends_at)
    show("host-1", second.card, 1)
    assert differences(second, ["host-1"], staff) == ["host_not_wiped"]
    wiping.record(first.hosts.get(), staff, method="erase")
    assert handover.hand_over(second, hosts=["host-1"], access="x", by=staff).state == "delivered"


def test_a_trial_machine_is_shared_but_never_with_a_rented_card(
    deliver: Place, paid: Place, catalogue: dict[str, Card], staff: User
) -> None:
    trials = [paid(card="cpu", lots=3), paid(card="cpu")]
    show("cpu-1", catalogue["cpu"], 1)
    for order in trials:
        assert handover.hand_over(order, hosts=["cpu-1"], access="x", by=staff).state == "delivered"
    deliver(host="gpu-1")
    show("gpu-1", catalogue["cpu"], 1)
    assert differences(paid(card="cpu"), ["gpu-1"], staff) == ["host_in_use"]
    show("cpu-1", catalogue["h100"], 1)
    assert differences(paid(card="h100"), ["cpu-1"], staff) == ["host_in_use"]


@pytest.mark.parametrize("hosts", [[], ["a", "a"], [""], "host-1", None, [1]])
def test_hosts_are_named_each_once(paid: Place, staff: User, hosts: Any) -> None:
    with pytest.raises(Refusal) as caught:
        handover.hand_over(paid(), hosts=hosts, access="x", by=staff)
    assert (caught.value.code, caught.value.field) == ("hosts_missing", "hosts")


def test_an_unpaid_order_is_not_delivered(place: Place, catalogue: dict[str, Card], staff: User) -> None:
    order = place()
    show("host-1", catalogue["h100"], 1)
    with pytest.raises(Refusal, match="wrong_state"):
        handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
    with pytest.raises(Refusal, match="wrong_state"):
        handover.start_preparation(order, staff)


def test_every_step_says_who(paid: Place, catalogue: dict[str, Card], staff: User) -> None:
    order = handover.start_preparation(paid(), staff)
    show("host-1", catalogue["h100"], 1)
    order = handover.hand_over(order, hosts=["host-1"], access="x", by=staff)
    assert [(m.new, m.actor) for m in order.moves.all()] == [
        ("placed", order.customer), ("paid", order.customer), ("preparing", staff), ("delivered", staff),
    ]  # fmt: skip


@pytest.mark.parametrize(("days", "hours"), [(3, 72), (7, 168), (30, 720)])
def test_the_term_ends_to_the_second(deliver: Place, customer: User, days: int, hours: int) -> None:
    with time_machine.travel("2028-02-27T21:30:07.250000+00:00", tick=False):
        order = deliver(days=days)
        assert order.delivered_at == timezone.now()
        assert order.ends_at == order.delivered_at + timedelta(hours=hours)
    with time_machine.travel(order.ends_at - timedelta(seconds=1), tick=False):
        assert terms.end_due(timezone.now()) == 0
        assert handover.reveal(order, customer) == "ssh ana@203.0.113.7"
    with time_machine.travel(order.ends_at, tick=False):
        with pytest.raises(Refusal, match="no_access"):  # even before the sweep comes by
            handover.reveal(order, customer)
        with pytest.raises(Refusal, match="term_over"):
            ordering.extend(order, customer)
        assert terms.end_due(timezone.now()) == 1
        assert terms.end_due(timezone.now()) == 0
    order.refresh_from_db()
    access = Access.objects.get(order=order)
    assert (order.state, order.ended_at) == ("ended", order.ends_at)
    assert (access.revoked_at, bytes(access.sealed)) == (order.ends_at, b"")
    assert handover.hosts_of(order) == []


def test_an_extension_costs_the_orders_own_price_and_moves_the_end(
    deliver: Place, put: Put, customer: User, staff: User
) -> None:
    order = deliver(days=7, lots=2)
    set_price(order.card, days=7, cents=9_999_99, by=staff)
    with pytest.raises(Refusal) as short:
        ordering.extend(order, customer)
    assert short.value.data == {"balance_cents": 0, "needed_cents": order.total_cents}
    put(customer, order.total_cents * 2)
    end = order.ends_at
    assert end is not None
    extended = ordering.extend(order, customer, seen_ends_at=end)
    again = ordering.extend(order, customer, seen_ends_at=end)
    assert extended.ends_at == again.ends_at == end + timedelta(hours=168)
    assert order.extensions.count() == 1
    assert terms.end_due(end) == 0
    Card.objects.filter(pk=order.card_id).update(lots=1)
    with pytest.raises(Refusal, match="no_stock"):
        ordering.extend(order, customer)


def test_the_access_is_sealed_and_each_reading_is_kept(deliver: Place, customer: User, staff: User) -> None:
    order = deliver()
    sealed = bytes(Access.objects.get().sealed)
    assert b"203.0.113.7" not in sealed
    for reader in (customer, staff, customer):
        assert handover.reveal(order, reader) == "ssh ana@203.0.113.7"
    assert list(AccessReveal.objects.order_by("pk").values_list("by", flat=True)) == [
        customer.pk, staff.pk, customer.pk,
    ]  # fmt: skip


def test_keys_rotate(settings: Any) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.SEALING_KEYS = [old]
    first = sealing.seal("ssh x")
    settings.SEALING_KEYS = [new, old]
    second = sealing.reseal(first)
    settings.SEALING_KEYS = [new]
    assert sealing.unseal(second) == "ssh x"
    with pytest.raises(InvalidToken):
        sealing.unseal(first)


def test_the_embedded_key_is_made_once_for_its_owner_alone(settings: Any, tmp_path: Any) -> None:
    settings.SEALING_KEYS, settings.DATA_DIR = [], tmp_path
    assert sealing.unseal(sealing.seal("x")) == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["sealing.key"]
    assert (tmp_path / "sealing.key").stat().st_mode & 0o777 == 0o600


def test_nothing_shown_is_kept_as_nothing(catalogue: dict[str, Card]) -> None:
    assert show("host-1", catalogue["h100"], 0) == []
    assert CardProof.objects.get().card is None
