"""Pages of pilots say nothing in English to readers of another language, but what people and machines wrote."""

from collections.abc import Callable

import pytest

from pilots.models import Pilot, Run
from rental.models import User
from tests.common.leftovers import leftovers
from tests.pilots.projects import accepted, good, lines, refused
from tests.rental.pages import at_desk, signed_in

pytestmark = pytest.mark.django_db
# What people and programs wrote, not the site.
OWNED = ("Supplier post", "no text", "project.zip", "the text of doc", "agent test")


def test_a_run_that_holds(carried_out: Callable[..., Run], pilot: Pilot, customer: User, staff: User) -> None:
    run, client = carried_out(good()), signed_in(customer)
    paths = ("", "/items", "/items/doc-01", "/sample", "/logs/stdout.log")
    for path in ("/pilots/", f"/pilots/{pilot.ref}", f"/projects/{pilot.project.ref}", f"/pilots/{pilot.ref}/decision"):  # type: ignore[union-attr]
        assert not leftovers(client, path, OWNED), path
    for tail in paths:
        assert not leftovers(client, f"/runs/{run.ref}{tail}", OWNED), tail
    for path in ("/desk/hosts/", "/desk/runs/"):
        assert not leftovers(at_desk(staff), path, OWNED), path


def test_a_run_with_everything_wrong(carried_out: Callable[..., Run], customer: User) -> None:
    rows = lines(
        accepted("doc-01"), accepted("doc-01"), accepted("ghost"), accepted("doc-02", "poem"), refused("doc-03", "")
    )
    run, client = carried_out(rows + b"{no json\n", outcome="failed", reason="program_failed"), signed_in(customer)
    for tail in ("", "/items"):
        assert not leftovers(client, f"/runs/{run.ref}{tail}", OWNED), tail


def test_a_run_that_waits(run: Run, customer: User) -> None:
    assert not leftovers(signed_in(customer), f"/runs/{run.ref}", OWNED)
