"""The estimated peak of memory beside a pilot: who may add it, that nothing frozen moves, and what a run measured."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from pilots import drafts, objectives
from pilots.models import MemoryObjective, Pilot, Run
from pilots.presenters import memory
from rental.models import User
from tests.common.leftovers import leftovers
from tests.pilots.projects import good
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db
SHEET = {
    "method": "lora",
    "parameters": "8.03",
    "precision": "bf16",
    "rank": "8",
    "batch": "2",
    "sequence": "2048",
    "layers": "32",
    "hidden": "4096",
    "heads": "32",
    "kv_heads": "8",
    "vocabulary": "128256",
    "attention": "fused",
    "recompute": "yes",
}
PAGE = f"/pilots/objective?{urlencode(SHEET)}"


def test_one_click_from_the_worksheet_to_a_frozen_pilot(pilot: Pilot, customer: User) -> None:
    client, before = signed_in(customer), pilot.spec_sha256
    assert pilot.title in text_of(client.get(PAGE))
    response = client.post(PAGE, {"pilot": pilot.ref}, follow=True)
    assert response.redirect_chain[-1][0] == f"/pilots/{pilot.ref}"
    text = text_of(response)
    assert "Unknown, to be measured. Estimated 17." in text
    assert "not measured" not in text  # no try yet
    pilot.refresh_from_db()
    assert pilot.spec_sha256 == before
    row = MemoryObjective.objects.get()
    assert (row.pilot, row.by) == (pilot, customer)
    assert 17 * 10**9 < row.low_bytes < row.high_bytes < 30 * 10**9
    assert client.get(f"/rent/memory?{row.worksheet}").context["page"].sheet.high == row.high_bytes


def test_a_new_draft_takes_it_and_hands_it_to_its_next_version(customer: User, project: Any) -> None:
    client = signed_in(customer)
    wrong = client.post(PAGE, {"pilot": "new", "title": ""})
    assert "title" in wrong.context["form"].errors
    assert not Pilot.objects.exists()
    response = client.post(PAGE, {"pilot": "new", "title": "Unknown peak"}, follow=True)
    made = Pilot.objects.get()
    assert (made.title, made.state) == ("Unknown peak", "draft")
    assert f"/pilots/new?of={made.ref}" in response.content.decode()
    later = drafts.create(customer, title="Unknown peak", project=project, previous=made)
    assert objectives.of(later) == MemoryObjective.objects.get()


def test_a_stranger_adds_nothing_and_sees_nothing(pilot: Pilot, stranger: User) -> None:
    client = signed_in(stranger)
    assert pilot.title not in text_of(client.get(PAGE))
    response = client.post(PAGE, {"pilot": pilot.ref})
    assert "pilot" in response.context["form"].errors
    assert not MemoryObjective.objects.exists()
    nobody = Client().get(PAGE)
    assert nobody.status_code == 302
    assert "objective%3F" in nobody["Location"]  # signing in comes back with the worksheet


def test_a_worksheet_without_a_range_goes_back(customer: User) -> None:
    response = signed_in(customer).get(PAGE.replace("batch=2", "batch=0"))
    assert response.status_code == 302
    assert response["Location"].startswith("/rent/memory?method=lora&")
    assert not MemoryObjective.objects.exists()


def test_an_estimate_is_written_once(pilot: Pilot, customer: User) -> None:
    first = objectives.record(pilot, objectives.Estimate(1, 2, ""), customer)
    for act in (lambda: MemoryObjective.objects.update(high_bytes=3), lambda: first.delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
    second = objectives.record(pilot, objectives.Estimate(3, 4, ""), customer)
    assert objectives.of(pilot) == second
    for low, high in ((3, 2), (-1, 2), (0, 0), (1, 2**63)):
        with pytest.raises(Exception, match="no range"):
            objectives.record(pilot, objectives.Estimate(low, high, ""), customer)


@pytest.mark.parametrize(
    ("peak", "words"),
    [
        (None, "Measured not measured"),
        (19_000_000_000, "within the range, 1.0 GB below its upper end"),
        (21_000_000_000, "above the range by 1.0 GB"),
        (8_000_000_000, "below the range by 2.0 GB"),
    ],
)
def test_the_measured_peak_stands_beside_the_estimate(
    carried_out: Callable[..., Run], pilot: Pilot, customer: User, peak: int | None, words: str
) -> None:
    MemoryObjective.objects.create(
        pilot=pilot, low_bytes=10 * 10**9, high_bytes=20 * 10**9, by=customer, at=pilot.created_at
    )
    run = carried_out(good())
    run.facts["peaks"] = {"gpu_memory_bytes": peak} if peak else {}
    Run.objects.filter(pk=run.pk).update(facts=run.facts)
    client = signed_in(customer)
    page = client.get(f"/runs/{run.ref}")
    assert (page.context["page"].rate != "") == ("/rent/plan?rate=" in page.content.decode())
    text = text_of(page)
    assert "Estimated 10.0 – 20.0 GB written" in text
    assert words in text
    assert "before this try" in text
    beside = text_of(client.get(f"/pilots/{pilot.ref}"))
    assert words.removeprefix("Measured ") in beside
    assert ("Unknown, to be measured" in beside) == (peak is None)


def test_an_estimate_that_came_later_says_so(carried_out: Callable[..., Run], pilot: Pilot, customer: User) -> None:
    run = carried_out(good())
    client = signed_in(customer)
    assert "Peak of memory" not in text_of(client.get(f"/runs/{run.ref}"))
    objectives.record(pilot, objectives.Estimate(10 * 10**9, 20 * 10**9, ""), customer)
    assert "after this try had begun" in text_of(client.get(f"/runs/{run.ref}"))
    shown = memory.of_run(run)
    assert shown is not None
    assert shown.came_later


def test_its_pages_in_other_languages(carried_out: Callable[..., Run], pilot: Pilot, customer: User) -> None:
    run = carried_out(good())
    objectives.record(pilot, objectives.Estimate(10 * 10**9, 20 * 10**9, "method=render"), customer)
    owned = ("Supplier post", "no text", "project.zip")
    for path in (PAGE, f"/pilots/{pilot.ref}", f"/runs/{run.ref}"):
        assert not leftovers(signed_in(customer), path, owned), path
