"""The sweep and the loops: one failure stops nothing else, and everything is looked at again."""

import os
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from pilots import loops, sweeping
from pilots.models import Run
from pilots.runs import verifying
from rental import tasks
from tests.pilots import projects as made
from tests.pilots.hosts import Claimed

pytestmark = pytest.mark.django_db


def test_what_ended_is_verified_by_the_sweep(claimed: Claimed, run: Run, capsys: Any) -> None:
    claimed.ship("results.jsonl", made.good())
    claimed.finish()
    call_command("sweep", "--once")
    did = capsys.readouterr().out
    assert "pilots.verify_ended          1" in did
    assert "common.forget                0" in did
    run.refresh_from_db()
    assert (run.stage, run.holds) == ("verified", True)


def test_one_part_that_fails_stops_no_other(monkeypatch: pytest.MonkeyPatch, claimed: Claimed, run: Run) -> None:
    def broken(now: Any) -> int:
        raise RuntimeError("a mail server that does not answer")

    monkeypatch.setattr(tasks, "ALL", (broken, tasks.lapse_orders))
    claimed.ship("results.jsonl", made.good())
    claimed.finish()
    with pytest.raises(SystemExit):
        call_command("sweep", "--once")
    run.refresh_from_db()
    assert run.stage == "verified"


def test_a_run_that_cannot_be_verified_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, claimed: Claimed, run: Run, caplog: Any
) -> None:
    def broken(run: Run) -> Run:
        raise OSError("the disk is away")

    claimed.finish()
    monkeypatch.setattr(verifying, "verify", broken)
    assert sweeping.Sweep().turn()["pilots.verify_ended"] == 0
    monkeypatch.undo()
    assert sweeping.Sweep().turn()["pilots.verify_ended"] == 1


def test_parts_that_are_not_due_wait() -> None:
    sweep, now = sweeping.Sweep(), timezone.now()
    assert "pilots.renew_evidence" in sweep.turn(now)
    assert list(sweep.turn(now + timedelta(seconds=1))) == ["pilots.verify_ended"]
    assert "pilots.renew_evidence" in sweep.turn(now + timedelta(seconds=11))


def test_a_loop_goes_on_after_a_failure_and_ends_on_term() -> None:
    turns: list[int] = []

    def turn() -> None:
        turns.append(1)
        if len(turns) == 1:
            raise RuntimeError("once")
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    guard = threading.Timer(20, lambda: os.kill(os.getpid(), signal.SIGTERM))
    guard.start()
    try:
        loops.run_until_stopped(turn, 0.01)
    finally:
        guard.cancel()
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
    assert len(turns) == 2


def test_a_run_that_completed_without_a_line_does_not_hold(carried_out: Callable[..., Run]) -> None:
    run = carried_out(b"")
    assert (run.outcome, run.stage, run.holds) == ("completed", "verified", False)
    assert run.sheet is not None
    assert len(run.sheet["missing"]) == 12
