"""The dispatcher: offers, leases that run out, attempts, silence, the way back, cancelling, the term's end."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from pilots import drafts, fleet, projects
from pilots import runs as acts
from pilots.models import Item, Pilot, Run, RunFile
from pilots.runs import verifying
from pilots.runs.offering import dispatch_due
from rental.models import Order, User
from tests.pilots import projects as made
from tests.pilots.hosts import Claimed, HostAgent

pytestmark = pytest.mark.django_db
Offers = list[tuple[str, str, int]]


@pytest.fixture
def offers() -> Offers:
    return []


@pytest.fixture
def turn(offers: Offers) -> Callable[..., int]:
    """One turn of the dispatcher, some seconds from now."""

    def act(seconds: float = 0) -> int:
        def wake(host: str, run: str, attempt: int) -> bool:
            offers.append((host, run, attempt))
            return False  # nobody knows whether it arrived

        return dispatch_due(timezone.now() + timedelta(seconds=seconds), wake)

    return act


def test_a_queued_run_is_offered_and_again_after_a_while(run: Run, turn: Callable[..., int], offers: Offers) -> None:
    assert turn() == 1
    assert turn(5) == 0
    assert turn(16) == 1
    assert offers == [("host-1", run.ref, 1)] * 2


def test_a_claimed_run_is_not_offered_and_its_slot_is_taken(
    claimed: Claimed, run: Run, pilot: Pilot, customer: User, turn: Callable[..., int]
) -> None:
    other = drafts.create(customer, title="Second", project=pilot.project, order=pilot.order)
    acts.start(other, customer)
    assert turn() == 0
    claimed.finish(outcome="failed", reason="program_failed", fault="project")
    assert turn() == 1


def test_a_lease_that_ran_out_gives_the_next_attempt_and_the_third_is_lost(
    host: HostAgent, claimed: Claimed, run: Run, turn: Callable[..., int], offers: Offers
) -> None:
    assert turn(61) == 1
    assert offers == [("host-1", run.ref, 2)]
    host.claim(run.ref, 2)
    turn(200)
    host.claim(run.ref, 3)
    turn(400)
    run.refresh_from_db()
    assert (run.outcome, run.reason, run.fault, run.attempt) == ("lost", "silent", "host", 3)
    codes = [event.code for event in run.events.filter(kind="move")]
    assert codes == ["start_asked", "claimed", "lease_ran_out", "claimed", "lease_ran_out", "claimed", "silent"]
    done = verifying.verify(run)
    assert (done.stage, done.verified_at, done.verification_error) == ("claimed", None, "never_announced")
    assert done.evidence.count() == 1
    assert turn(600) == 0


def test_a_replaced_attempt_is_told_to_stop_with_its_old_key(
    host: HostAgent, claimed: Claimed, run: Run, turn: Callable[..., int]
) -> None:
    turn(61)
    second = host.claim(run.ref, 2)
    status, answer = claimed.report()
    assert (status, answer["code"]) == (409, "stale")
    status, answer = claimed.send("results.jsonl", 0, b"x\n")
    assert (status, answer["code"]) == (409, "stale")
    assert claimed.finish()[0] == 409
    assert second.report()[0] == 200


def test_a_silent_attempt_comes_back_when_its_process_lives(
    claimed: Claimed, run: Run, turn: Callable[..., int], offers: Offers
) -> None:
    claimed.stages("fetched", "launched", "processing")
    turn(100)
    run.refresh_from_db()
    assert (run.stage, run.attempt) == ("queued", 2)
    assert claimed.report()[0] == 200
    run.refresh_from_db()
    assert (run.stage, run.attempt, run.outcome) == ("processing", 1, "")
    claimed.ship("results.jsonl", made.good())
    assert claimed.finish()[0] == 200
    assert verifying.verify(run).holds is True
    # The wake-up for the second attempt is still somewhere: it finds nothing to claim.
    assert claimed.host.post("claim", {"run": run.ref, "attempt": 2, "claim": "f" * 32})[0] == 409


def test_an_attempt_that_can_go_on_finishes_only_what_is_missing(
    host: HostAgent, claimed: Claimed, run: Run, turn: Callable[..., int]
) -> None:
    claimed.ship("results.jsonl", made.lines(*[made.accepted(name) for name in made.ids()[:5]]) + b'{"id":"doc-0')
    turn(61)
    second = host.claim(run.ref, 2)
    assert second.told["remaining"] == made.ids()[5:]
    assert second.told["held"] == {}
    rest = [made.accepted(name) for name in made.ids()[5:11]]
    second.ship("results.jsonl", made.lines(*rest, made.refused("doc-12")))
    assert second.finish()[0] == 200
    done = verifying.verify(run)
    assert done.sheet is not None
    assert (done.sheet["accepted"], done.sheet["refused"], done.sheet["holds"]) == (11, 1, True)
    assert (done.accepted, done.refused, done.strays) == (11, 1, 0)
    assert Item.objects.filter(run=run).count() == 12


def test_an_attempt_of_a_program_that_cannot_go_on_begins_afresh(
    host: HostAgent, customer: User, order: Order, turn: Callable[..., int]
) -> None:
    command = ["python", "src/classify.py", "{inputs}", "{output}"]
    project = projects.receive(customer, made.upload(command=command))
    run = acts.start(drafts.create(customer, title="Whole", project=project, order=order), customer)
    host.claim(run.ref).ship("results.jsonl", made.lines(*[made.accepted(name) for name in made.ids()[:5]]))
    turn(61)
    second = host.claim(run.ref, 2)
    assert second.told["remaining"] is None
    run.refresh_from_db()
    assert (run.accepted, Item.objects.filter(run=run).count()) == (0, 0)
    second.ship("results.jsonl", made.good())
    second.finish()
    done = verifying.verify(run)
    assert done.holds is True
    # What the first attempt shipped is kept and in the evidence, and does not count.
    assert [(row.attempt, row.counts) for row in RunFile.objects.filter(run=run)] == [(1, False), (2, True)]


def test_cancelling_a_queued_run_ends_it_at_once(run: Run, customer: User, turn: Callable[..., int]) -> None:
    done = acts.cancel(run, customer)
    assert (done.outcome, done.reason, done.is_final) == ("cancelled", "cancelled_by_customer", True)
    assert turn() == 0
    assert acts.cancel(done, customer).outcome == "cancelled"


def test_cancelling_a_claimed_run_tells_its_host(claimed: Claimed, run: Run, customer: User) -> None:
    assert claimed.report()[1]["cancel"] is False
    acts.cancel(run, customer)
    acts.cancel(run, customer)
    assert claimed.report()[1]["cancel"] is True
    assert claimed.finish(outcome="cancelled", reason="cancelled_by_customer")[0] == 200
    run.refresh_from_db()
    assert (run.outcome, run.exit_code) == ("cancelled", 0)


def test_a_cancelled_run_whose_host_went_silent_is_cancelled(
    claimed: Claimed, run: Run, customer: User, turn: Callable[..., int]
) -> None:
    acts.cancel(run, customer)
    turn(61)
    run.refresh_from_db()
    assert run.outcome == "cancelled"


def test_the_terms_end_stops_runs_and_offers(
    host: HostAgent, claimed: Claimed, run: Run, pilot: Pilot, order: Order, turn: Callable[..., int]
) -> None:
    Order.objects.filter(pk=order.pk).update(state=Order.State.ENDED)
    turn()
    assert claimed.report()[1]["cancel"] is True
    assert run.events.filter(code="term_ended").count() == 1


def test_a_queued_run_ends_with_its_term_and_with_its_host(
    run: Run, order: Order, host: HostAgent, turn: Callable[..., int]
) -> None:
    fleet.revoke(run.host)
    run.refresh_from_db()
    assert (run.outcome, run.reason) == ("lost", "host_revoked")
    assert host.post("hello", {"facts": {}})[0] == 401


def test_a_run_given_up_waits_for_its_host_and_is_lost_in_the_end(
    claimed: Claimed, run: Run, turn: Callable[..., int], settings: Any
) -> None:
    turn(61)
    turn(settings.LOST_SECONDS - 5)
    run.refresh_from_db()
    assert run.outcome == ""
    turn(settings.LOST_SECONDS + 5)
    run.refresh_from_db()
    assert (run.outcome, run.reason) == ("lost", "silent")


def test_a_try_cannot_begin_while_another_is_open(run: Run, pilot: Pilot, customer: User) -> None:
    with pytest.raises(Exception, match="run_open"):
        acts.start(pilot, customer)


def test_a_resumed_try_finishes_what_is_missing(
    carried_out: Callable[..., Run], host: HostAgent, customer: User
) -> None:
    first = carried_out(made.lines(*[made.accepted(name) for name in made.ids()[:10]]), outcome="failed",
                        reason="program_failed", fault="project", exit_code=1)  # fmt: skip
    second = acts.resume(first, customer)
    assert (second.number, second.remaining, second.accepted) == (2, ["doc-11", "doc-12"], 10)
    claim = host.claim(second.ref)
    assert claim.told["remaining"] == ["doc-11", "doc-12"]
    claim.ship("results.jsonl", made.lines(made.accepted("doc-11"), made.refused("doc-12")))
    claim.finish()
    done = verifying.verify(second)
    assert (done.holds, done.accepted, done.refused) == (True, 11, 1)
    first.refresh_from_db()
    assert (first.outcome, first.holds) == ("failed", False)
    with pytest.raises(Exception, match="nothing_missing"):
        acts.resume(done, customer)
