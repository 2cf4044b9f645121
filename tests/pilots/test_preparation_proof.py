"""A verified run whose diagnostic passed proves the card and the preparation of its order, and nothing else does."""

import pytest

from pilots import runs
from rental.models import PreparationProof
from tests.pilots import scene

pytestmark = pytest.mark.django_db


def run_with(rungs: bytes, *, verify: bool = True) -> str:
    customer, staff = scene.person("c@example.org"), scene.person("o@example.org", is_staff=True)
    machine = scene.host(facts=scene.H200)
    order = scene.delivered(customer, staff, machine, card="h200")
    run = scene.claim(runs.start(scene.pilot(customer, order, machine), customer))
    scene.ship(
        run, events_jsonl=scene.events(), diagnostic_jsonl=rungs, results_jsonl=scene.jsonl(scene.good_lines()),
        stderr_log=scene.LOG, freeze_txt=scene.FREEZE,
    )  # fmt: skip
    return str(scene.finish(run, verify=verify).ref)


def passed() -> bytes:
    """The diagnostic of a scene, its computation really made on the one card."""
    return scene.rungs().replace(b'"float32"', b'"device": "cuda:0", "float32"').replace(
        b'"facts": {"devices": [{"device"', b'"facts": {"gpu_proved": true, "devices": [{"device"'
    )  # fmt: skip


def test_a_verified_run_proves_its_orders_card_and_preparation() -> None:
    ref = run_with(passed())
    proof = PreparationProof.objects.get()
    assert (proof.card.slug, proof.preparation, proof.run_ref) == ("h200", "pytorch", ref)
    assert proof.order.card == proof.card


def test_a_failed_rung_proves_nothing() -> None:
    run_with(scene.rungs(failed=5))
    assert not PreparationProof.objects.exists()


def test_a_run_that_is_not_verified_yet_proves_nothing() -> None:
    run_with(passed(), verify=False)
    assert not PreparationProof.objects.exists()
