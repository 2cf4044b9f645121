"""Files by offset, fencing, the heartbeat and the end: replayed, reordered, forged, at once, too late."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from pilots.models import Item, Run, RunFile
from pilots.runs import verifying
from rental.models import User
from tests.pilots import projects as made
from tests.pilots.hosts import BASE, Claimed, HostAgent

pytestmark = pytest.mark.django_db


def held(run: Run, name: str = "results.jsonl") -> tuple[int, int, int]:
    row = RunFile.objects.get(run=run, name=name)
    return row.held, row.parsed, row.lines


def test_a_repeat_changes_nothing_and_a_gap_is_refused_with_the_offset(claimed: Claimed, run: Run) -> None:
    first, second = made.lines(made.accepted("doc-01")), made.lines(made.accepted("doc-02"))
    assert claimed.send("results.jsonl", 0, first) == (200, {"held": len(first)})
    assert claimed.send("results.jsonl", 0, first) == (200, {"held": len(first)})
    assert claimed.send("results.jsonl", 0, first[:5]) == (200, {"held": len(first)})
    status, answer = claimed.send("results.jsonl", len(first) + 1, second)
    assert (status, answer["code"], answer["held"]) == (409, "gap", len(first))
    status, answer = claimed.send("results.jsonl", len(first) - 3, b"xyz" + second)
    assert (status, answer["code"], answer["held"]) == (409, "gap", len(first))
    assert claimed.send("results.jsonl", len(first), second)[0] == 200
    assert held(run) == (len(first + second), len(first + second), 2)
    assert Item.objects.filter(run=run).count() == 2
    assert (run.folder / "1" / "results.jsonl").read_bytes() == first + second


def test_what_a_crash_left_beyond_the_row_is_cut_off_before_the_next_range(claimed: Claimed, run: Run) -> None:
    first = made.lines(made.accepted("doc-01"))
    claimed.ship("results.jsonl", first)
    path = run.folder / "1" / "results.jsonl"
    path.write_bytes(first + b'{"id": "doc-02", half a range whose row was never kept')
    claimed.ship("results.jsonl", made.lines(made.accepted("doc-02")))
    assert path.read_bytes() == first + made.lines(made.accepted("doc-02"))


def test_lines_cut_anywhere_become_the_same_rows(claimed: Claimed, run: Run) -> None:
    whole = made.good()
    for start in range(0, len(whole), 7):
        claimed.ship("results.jsonl", whole[start : start + 7])
    assert held(run) == (len(whole), len(whole), 12)
    run.refresh_from_db()
    assert (run.accepted, run.refused, run.strays) == (11, 1, 0)


def test_only_the_names_of_the_wire_are_taken(claimed: Claimed) -> None:
    for name in ("evil.sh", "results.jsonl.bak", "..", "%2e%2e%2fresults.jsonl", "diagnostic.json"):
        status, _answer = (
            claimed.host.client.generic(
                "POST",
                f"{BASE}/{claimed.path}/files/{name}?offset=0&attempt=1&claim={claimed.told['claim']}",
                b"x",
                headers={"authorization": f"Bearer {claimed.told['run_key']}"},
            ).status_code,
            None,
        )
        assert status == 404, name
    assert not RunFile.objects.exists()


def test_a_negative_or_foreign_offset_and_a_huge_range_are_refused(claimed: Claimed) -> None:
    assert claimed.send("results.jsonl", -1, b"x")[0] == 422
    assert claimed.send("results.jsonl", 0, b"x" * (4 * 1024 * 1024 + 1))[0] == 413
    assert claimed.send("results.jsonl", 2**70, b"x")[0] in (409, 422)


def test_the_same_claim_gets_the_same_answer_and_another_is_refused(host: HostAgent, run: Run) -> None:
    first = host.claim(run.ref, claim="c" * 32)
    again = host.claim(run.ref, claim="c" * 32)
    assert first.told == again.told
    status, answer = host.post("claim", {"run": run.ref, "attempt": 1, "claim": "d" * 32})
    assert (status, answer["code"]) == (409, "stale")
    status, answer = host.post("claim", {"run": run.ref, "attempt": 2, "claim": "c" * 32})
    assert (status, answer["code"]) == (409, "stale")
    assert [event.code for event in run.events.all()] == ["start_asked", "claimed"]


def test_the_claim_holds_what_was_frozen_and_no_expected_answer(host: HostAgent, run: Run) -> None:
    told = host.claim(run.ref).told
    assert run.pilot.spec is not None
    assert told["spec_sha256"] == run.pilot.spec.sha256
    assert [item["id"] for item in told["spec"]["manifest"]] == made.ids()
    assert told["held"] == {}
    assert told["remaining"] is None
    assert (told["try_number"], told["attempt"]) == (1, 1)


def test_after_the_end_nothing_is_taken_and_the_same_end_is_answered_again(claimed: Claimed, run: Run) -> None:
    claimed.ship("results.jsonl", made.good())
    assert claimed.finish()[0] == 200
    assert claimed.finish()[0] == 200
    status, answer = claimed.finish(outcome="failed", reason="program_failed", fault="project", exit_code=1)
    assert (status, answer["code"]) == (409, "stale")
    assert claimed.report()[0] == 409
    status, answer = claimed.send("results.jsonl", len(made.good()), b"late\n")
    assert (status, answer["code"]) == (409, "stale")
    run.refresh_from_db()
    assert run.outcome == "completed"
    verified = verifying.verify(run)
    assert verifying.verify(verified).verified_at == verified.verified_at
    assert verified.evidence.count() == 1


def test_an_end_with_bytes_missing_here_says_what_is_held(claimed: Claimed, run: Run) -> None:
    whole = made.good()
    claimed.ship("results.jsonl", whole[:100])
    claimed.content["results.jsonl"] = whole
    status, answer = claimed.finish()
    assert (status, answer["code"], answer["held"]) == (409, "incomplete", {"results.jsonl": 100})
    run.refresh_from_db()
    assert run.outcome == ""


def test_a_host_cannot_say_lost_or_anything_else(claimed: Claimed, run: Run) -> None:
    for outcome in ("lost", "verified", ""):
        assert claimed.finish(outcome=outcome)[0] == 422
    run.refresh_from_db()
    assert run.outcome == ""


def test_a_copy_that_differs_is_never_called_verified(claimed: Claimed, run: Run) -> None:
    claimed.ship("results.jsonl", made.good())
    claimed.content["results.jsonl"] = made.good()[:-1] + b" "
    assert claimed.finish()[0] == 200
    done = verifying.verify(run)
    assert (done.stage, done.verified_at, done.verification_error) == ("collecting", None, "copy_differs")
    assert done.facts["differences"] == ["results.jsonl"]
    assert done.evidence.count() == 1


def test_a_byte_changed_on_our_disk_is_found_when_it_is_read_again(claimed: Claimed, run: Run) -> None:
    claimed.ship("results.jsonl", made.good())
    claimed.ship("stdout.log", b"hello\n")
    claimed.finish()
    path = run.folder / "1" / "stdout.log"
    path.write_bytes(b"hallo\n")
    assert verifying.verify(run).facts["differences"] == ["stdout.log"]


def test_stages_go_forward_only_and_the_first_error_stays_the_first(claimed: Claimed, run: Run) -> None:
    claimed.stages("fetched", "launched", "unpacked", "verified", "queued", "nonsense")
    run.refresh_from_db()
    assert (run.stage, run.reached) == ("launched", "launched")
    claimed.ship(
        "events.jsonl",
        made.lines(
            {"kind": "first_error", "stage": "processing", "file": "stderr.log", "line": 7, "error_kind": "import",
             "text": "ImportError: x"},
            {"kind": "first_error", "stage": "processing", "file": "stderr.log", "line": 9, "text": "later"},
            "not json",
            "[1]",
            {"kind": "move", "old": "queued", "new": "verified"},
        ),
    )  # fmt: skip
    run.refresh_from_db()
    assert run.first_error is not None
    assert (run.first_error["line"], run.first_error["kind"], run.first_error["stage"]) == (7, "import", "processing")
    assert run.events.filter(kind="move").count() == 2


def test_strange_text_becomes_rows_on_every_database(claimed: Claimed, run: Run) -> None:
    claimed.ship(
        "results.jsonl",
        b'{"id":"doc-01","status":"accepted","category":"invoice","note":"a\\u0000b"}\n'
        b'{"id":"doc-02","status":"accepted","category":"' + b"x" * 5000 + b'"}\n'
        b'{"id":"doc-03","status":"refused","reason":"\\ud800"}\n'
        b'{"id":"doc-06","status":"refused","reason":"r","deep":[NaN,' + b"[" * 700 + b"]" * 700 + b"]}\n"
        b'\xff\xfe\x00broken\n{"id":"doc-04","status":"accepted","category":"invoice","margin":1e999}\n'
        b'{"id":"doc-05","status":"accepted","category":"letter","margin":0.5,"deep":'
        + b"[" * 200
        + b"]" * 200
        + b"}\n",
    )
    claimed.ship("events.jsonl", b'{"kind":"note","code":"x","data":{"a":"\\u0000","b":"\\ud800"},"at":"never"}\n')
    claimed.ship("events.jsonl", b'{"kind":"note","code":"y","at":"0001-01-01T00:00:00+14:00"}\n')
    claimed.ship("metrics.jsonl", b'{"step":1,"loss":NaN}\n{"step":2e400,"loss":0.5,"items":12}\n')
    claimed.ship(
        "samples.jsonl", b'{"rss_bytes":10,"gpu":null}\n{"gpu":5}\n{"rss_bytes":30,"gpu":[{"memory_used_bytes":7}]}\n'
    )
    claimed.ship(
        "diagnostic.jsonl", b'{"rung":0,"name":"host","verdict":"passed","seconds":0.1,"facts":{"n":"\\u0000"}}\n'
    )
    claimed.ship("events.jsonl", b'{"kind":"note","code":"sandbox","sandbox":"bubblewrap"}\n')
    run.refresh_from_db()
    assert run.facts["machine"]["sandbox"] == "bubblewrap"
    assert run.facts["peaks"] == {"rss_bytes": 30, "gpu_memory_bytes": 7}
    assert run.steps == 2
    assert run.rungs.count() == 1
    assert Item.objects.filter(run=run).count() == 7


def test_the_keys_of_another_run_another_host_and_a_stranger_open_nothing(
    claimed: Claimed, run: Run, customer: User
) -> None:
    thief = HostAgent("host-2").enrol()
    assert thief.post("claim", {"run": run.ref, "attempt": 1, "claim": "e" * 32})[0] == 404
    for token in (thief.token, claimed.host.token, "kr_" + "0" * 64, "x"):
        status, answer = thief.post(f"{claimed.path}/report", claimed.fence, token)
        assert (status, answer["code"]) == (403, "key_refused"), token
    assert thief.post("hello", {"facts": {}}, claimed.told["run_key"])[0] == 401
    assert thief.post("claim", {"run": run.ref, "attempt": 1, "claim": "e" * 32}, claimed.told["run_key"])[0] == 401
    other = claimed.path.replace(run.ref, "0" * 26)
    assert thief.post(f"{other}/report", claimed.fence, claimed.told["run_key"])[0] == 404
    assert Client().get(f"{BASE}/{claimed.path}/archive").status_code == 401


def test_no_token_is_kept_in_plain(claimed: Claimed, run: Run) -> None:
    run.refresh_from_db()
    assert claimed.told["run_key"] not in str(run.__dict__)
    assert claimed.host.token not in str(run.host.__dict__)


@pytest.mark.django_db(transaction=True)
def test_twenty_at_once_append_once(claimed: Claimed, run: Run) -> None:
    data = made.good()
    answers: list[tuple[int, Any]] = []

    def send() -> None:
        try:
            answers.append(claimed.send("results.jsonl", 0, data, Client()))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _ in answers] == [200] * 20
    assert {answer["held"] for _, answer in answers} == {len(data)}
    assert held(run) == (len(data), len(data), 12)
    assert Item.objects.filter(run=run).count() == 12
    assert (run.folder / "1" / "results.jsonl").read_bytes() == data


@pytest.mark.django_db(transaction=True)
def test_twenty_claims_at_once_give_one_claim(host: HostAgent, run: Run) -> None:
    answers: list[int] = []

    def claim(number: int) -> None:
        body = {"run": run.ref, "attempt": 1, "claim": f"{number:032d}"}
        try:
            answers.append(HostAgent(token=host.token).post("claim", body)[0])
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200] + [409] * 19
