"""The run page: what it says of each way a run can go, for its owner and for nobody else."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pilots import runs
from pilots.models import Host, Pilot, Run
from rental.models import Order, User
from tests.pilots import scene
from tests.rental.pages import signed_in, text_of, title_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return scene.person("owner@example.org")


@pytest.fixture
def machine() -> Host:
    return scene.host()


@pytest.fixture
def order(owner: User, machine: Host) -> Order:
    return scene.delivered(owner, scene.person("staff@example.org", is_staff=True), machine)


@pytest.fixture
def pilot(owner: User, order: Order, machine: Host) -> Pilot:
    return scene.pilot(owner, order, machine)


@pytest.fixture
def client(owner: User) -> Client:
    return signed_in(owner)


def state_of(response: Any) -> str:
    found = re.search(r'<div class="state">.*?</div></div>', response.content.decode(), re.S)
    assert found, "no state on the page"

    class Part:
        content = found.group().encode()

    return text_of(Part)


def figures_of(response: Any) -> list[int]:
    equation = re.search(r'<p class="equation">.*?</p>', response.content.decode(), re.S)
    assert equation
    return [int(figure.replace(",", "")) for figure in re.findall(r"<b[^>]*>([\d,]+)</b>", equation.group())]


def test_a_run_that_holds_says_so_and_leads_to_a_decision(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot)
    page = client.get(f"/runs/{run.ref}")
    assert "Try 1 holds on every criterion fixed before it." in state_of(page)
    assert figures_of(page) == [12, 11, 1, 0]
    assert title_of(page) == "Supplier post, try 1: holds – Kernodeck"
    assert 'class="confirmed"' in page.content.decode()
    text = text_of(page)
    assert "First error" not in text
    assert "files match what the host announced" in text
    assert f'href="/pilots/{pilot.ref}/decision?try=1"' in page.content.decode()
    assert page.content.decode().count('class="btn primary"') == 1
    assert "hx-get" not in page.content.decode(), "a final page polls nothing"


CASES: dict[str, tuple[Callable[[], list[Any]], dict[str, Any], list[str]]] = {
    "a missing id": (
        lambda: [row for row in scene.good_lines() if row["id"] != "doc-07"],
        {},
        ["The pilot does not hold: doc-07 is missing.", "missing no line in results.jsonl", "The logs hold no error"],
    ),
    "an invented id": (
        lambda: [scene.line("warmup", "letter"), *scene.good_lines()],
        {},
        ["The pilot does not hold: warmup was never declared.", "Line 1 of the results, “warmup”"],
    ),
    "a doubled line": (
        lambda: [*scene.good_lines()[:3], *scene.good_lines()[2:]],
        {},
        ["The pilot does not hold: doc-03 has more than one line.", "Line 4 of the results, “doc-03”"],
    ),
    "a malformed line": (
        lambda: [*scene.good_lines()[:4], '{"id": "doc-05", "stat', *scene.good_lines()[4:]],
        {},
        ["The pilot does not hold: line 5 of the results cannot be read.", "Line 5 of the results"],
    ),
    "a bad category": (
        lambda: [{**row, "category": "poem"} if row["id"] == "doc-02" else row for row in scene.good_lines()],
        {},
        ["The pilot does not hold: doc-02 has a category that is not allowed."],
    ),
    "exit code 3 midway": (
        lambda: scene.good_lines()[:5],
        {"outcome": "failed", "reason": "program_failed", "fault": "project", "exit_code": 3},
        [
            "The pilot does not hold: doc-06, doc-07, doc-08 and 4 more are missing, and 1 more reason.",
            "The program stopped at “processing” with code 3. The program ended with an error.",
            "The fault lies in the project. Stage: “processing”.",
            "RuntimeError: the model file is gone",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_does_not_hold_says_why_in_words(case: str, client: Client, pilot: Pilot) -> None:
    lines, ends, sentences = CASES[case]
    told = scene.first_error("stderr.log", 3, "exception", "RuntimeError: the model file is gone")
    log = b"one\nTraceback (most recent call last):\nRuntimeError: the model file is gone\n"
    run = scene.tried(
        pilot, lines(), ends=ends, stderr=log if ends else b"all is well\n", more_events=told if ends else b""
    )
    page = client.get(f"/runs/{run.ref}")
    text = text_of(page)
    for sentence in sentences:
        assert sentence in text, sentence
    assert run.outcome == ends.get("outcome", "completed")
    assert 'class="confirmed" aria-hidden' not in page.content.decode().split('class="docket')[0]
    if ends:
        assert re.search(r'<li class="first">.*?the model file is gone', page.content.decode(), re.S)


def test_a_nonzero_exit_code_alone_takes_nothing_from_a_sheet_that_holds(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot, ends={"outcome": "failed", "reason": "program_failed", "fault": "project", "exit_code": 3})
    state = state_of(client.get(f"/runs/{run.ref}"))
    assert "holds on every criterion" in state
    assert "But the program ended with code 3" in state


def test_a_queued_run_waits_and_can_be_stopped(client: Client, pilot: Pilot) -> None:
    run = runs.start(pilot, pilot.customer)
    page = client.get(f"/runs/{run.ref}")
    assert "Waiting for the host trial-1." in state_of(page)
    assert 'class="btn primary"' not in page.content.decode(), "a page that only waits has no primary"
    assert client.post(f"/runs/{run.ref}/cancel").status_code == 302
    text = text_of(client.get(f"/runs/{run.ref}"))
    assert "Cancelled at “queued”: You cancelled it." in text


def test_a_running_run_shows_its_progress_and_judges_nothing(client: Client, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    scene.ship(run, events_jsonl=scene.events("processing"), results_jsonl=scene.jsonl(scene.good_lines()[:7]))
    page = client.get(f"/runs/{run.ref}")
    state = state_of(page)
    assert "At “processing”: 7 of 12 ids have a line." in state
    assert "Nothing is judged before the run has ended" in state
    assert figures_of(page) == [12, 7, 0, 5]
    html = page.content.decode()
    assert "without a line yet" in html
    assert "missing</span>" not in html, "what has not come yet is not missing"
    assert f'hx-get="/runs/{run.ref}/live"' in html
    assert re.search(rf'<a href="/runs/{run.ref}">Refresh</a>', html), "without a script a link refreshes"


def test_a_silent_run_is_shown_as_silent_with_its_last_report(client: Client, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    scene.ship(run, events_jsonl=scene.events("processing"), results_jsonl=scene.jsonl(scene.good_lines()[:4]))
    Run.objects.filter(pk=run.pk).update(last_report_at=timezone.now() - timedelta(minutes=2))
    page = client.get(f"/runs/{run.ref}")
    assert "Silent: the last report came 2 min" in state_of(page)
    assert '<svg class="late"' in page.content.decode()
    assert 'class="late" data-age="12' in page.content.decode()


def test_a_refused_archive_and_a_failed_environment_name_stage_reason_and_fault(client: Client, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    scene.ship(run, events_jsonl=scene.events("fetched"))
    scene.finish(run, "refused", "archive_refused", "project", None)
    state = state_of(client.get(f"/runs/{run.ref}"))
    assert "Refused before it started: The project's archive is not safe to unpack." in state
    assert "The fault lies in the project." in state

    run = scene.claim(runs.start(pilot, pilot.customer))
    error = scene.first_error("install.log", 2, "package_missing", "ERROR: No matching distribution", "environment")
    scene.ship(
        run, events_jsonl=scene.events("environment") + error, install_log=b"one\nERROR: No matching distribution\n"
    )
    scene.finish(run, "failed", "environment_failed", "project", None)
    page = client.get(f"/runs/{run.ref}")
    assert "Failed at “environment”" in state_of(page)
    text = text_of(page)
    assert "A pinned package does not exist for this machine." in text
    assert "Stage: “environment”" in text


def test_what_a_host_never_announced_is_not_green(client: Client, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    scene.ship(run, events_jsonl=scene.events(), results_jsonl=scene.jsonl(scene.good_lines()))
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(
        outcome="lost", reason="silent", fault="host", ended_at=now, checked_at=now, holds=True, verdicts=[],
        verification_error="never_announced",
    )  # fmt: skip
    page = client.get(f"/runs/{run.ref}")
    assert "What arrived meets every criterion, but it is not verified." in state_of(page)
    assert '<svg class="confirmed"' not in page.content.decode().split('class="docket')[0]


def test_html_in_results_stays_text_and_hidden_characters_are_written_out(client: Client, pilot: Pilot) -> None:
    bad = "<script>alert(1)</script>"
    rows = scene.good_lines()
    rows[11] = scene.line("doc-12", reason=f"{bad} \u202egpj.exe\x1b[31m")
    rows.insert(0, scene.line(bad, "letter"))
    run = scene.tried(pilot, rows, stderr=f"{bad} \x1b[31mred\u202e\n".encode())
    for address in ("", "/items", "/items/doc-12", "/logs/stderr.log", "/logs/results.jsonl"):
        html = client.get(f"/runs/{run.ref}{address}").content.decode()
        assert bad not in html, address
        assert not {"\x1b", "\u202e"} & set(html), address
    assert "⟨U+202E⟩gpj.exe␛[31m" in text_of(client.get(f"/runs/{run.ref}"))


def test_only_its_owner_sees_a_run(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot)
    stranger = signed_in(scene.person("stranger@example.org"))
    for address in (
        "", "/live", "/items", "/items/doc-01", "/inputs/doc-01", "/sample", "/logs/stderr.log", "/files/stderr.log",
        "/evidence", "/sheet.json", "/sheet.csv",
    ):  # fmt: skip
        path = f"/runs/{run.ref}{address}"
        assert client.get(path).status_code == 200, path
        assert stranger.get(path).status_code == 404, path
        nobody = Client().get(path)
        expected = 404 if address == "/live" else 302
        assert nobody.status_code == expected, path
    for address in ("/cancel", "/resume"):
        path = f"/runs/{run.ref}{address}"
        assert stranger.post(path).status_code == 404
        assert Client().post(path).status_code == 302
        assert client.get(path).status_code == 405, "an act is no link"


def test_the_live_part_answers_304_until_something_moves_and_refreshes_at_the_end(client: Client, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    scene.ship(run, events_jsonl=scene.events("processing"), results_jsonl=scene.jsonl(scene.good_lines()[:3]))
    first = client.get(f"/runs/{run.ref}/live")
    assert first.status_code == 200
    tag = first["ETag"]
    assert tag.strip('"') in first.content.decode(), "the script sends it back"
    with CaptureQueriesContext(connection) as seen:
        again = client.get(f"/runs/{run.ref}/live", headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert again.content == b""
    assert len(seen) <= 3, "an unmoved poll costs the session, the person and the run"
    scene.ship(run, results_jsonl=scene.jsonl(scene.good_lines()[3:4]))
    moved = client.get(f"/runs/{run.ref}/live", headers={"If-None-Match": tag})
    assert moved.status_code == 200
    assert moved["ETag"] != tag
    assert "4 of 12 ids have a line" in text_of(moved)
    scene.ship(run, results_jsonl=scene.jsonl(scene.good_lines()[4:]))
    scene.finish(run)
    final = client.get(f"/runs/{run.ref}/live", headers={"If-None-Match": moved["ETag"]})
    assert final["HX-Refresh"] == "true"


def queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address).status_code == 200
    return len(seen)


def test_the_same_few_queries_for_ten_items_and_for_a_thousand(
    client: Client, owner: User, order: Order, machine: Host
) -> None:
    counted: dict[int, dict[str, int]] = {}
    for count in (10, 1000):
        pilot = scene.pilot(owner, order, machine, scene.small_files(count))
        ids = [f"doc-{number:05d}" for number in range(1, count + 1)]
        lines = [scene.line(item, "letter") for item in ids[:-2]]
        run = scene.tried(pilot, [*lines, scene.line(ids[-1]), scene.line("warmup", "letter")])
        addresses = {
            "run": f"/runs/{run.ref}",
            "items": f"/runs/{run.ref}/items",
            "last page": f"/runs/{run.ref}/items?before={count}",
            "missing": f"/runs/{run.ref}/items?status=missing",
            "pilot": f"/pilots/{pilot.ref}",
            "decide": f"/pilots/{pilot.ref}/decision",
            "item": f"/runs/{run.ref}/items/{ids[0]}",
        }
        counted[count] = {name: queries(client, address) for name, address in addresses.items()}
    assert counted[10] == counted[1000]
    assert counted[10]["run"] <= 13
    assert counted[10]["items"] <= 12
    assert max(counted[10].values()) <= 16


def test_files_are_saved_and_never_opened_by_the_browser(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot)
    for address in ("/files/stderr.log", "/inputs/doc-01", "/evidence", "/sheet.json", "/sheet.csv"):
        answer = client.get(f"/runs/{run.ref}{address}")
        assert answer["Content-Disposition"].startswith("attachment;"), address
        assert answer["Content-Security-Policy"].startswith("sandbox"), address
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert b"".join(answer.streaming_content)
    assert client.get(f"/runs/{run.ref}/logs/secret.txt").status_code == 404
    assert client.get(f"/runs/{run.ref}/files/..%2f..%2fsettings.py").status_code == 404


def test_a_long_log_comes_in_pages_with_line_links(client: Client, pilot: Pilot) -> None:
    log = b"".join(b"line %d\n" % number for number in range(1, 1235))
    run = scene.tried(pilot, stderr=log)
    first = client.get(f"/runs/{run.ref}/logs/stderr.log")
    assert "Lines 1 to 500 of 1,234" in text_of(first)
    middle = client.get(f"/runs/{run.ref}/logs/stderr.log?line=777")
    assert 'id="L777"' in middle.content.decode()
    assert "Lines 501 to 1,000 of 1,234" in text_of(middle)
    last = client.get(f"/runs/{run.ref}/logs/stderr.log?line=99999")
    assert "Lines 1,001 to 1,234 of 1,234" in text_of(last)


def test_the_next_try_names_what_changed(client: Client, pilot: Pilot, machine: Host) -> None:
    scene.tried(pilot)
    machine.facts = {**machine.facts, "python": "3.12.1"}
    machine.save()
    run = scene.tried(pilot)
    text = text_of(client.get(f"/runs/{run.ref}"))
    assert "Changed since try 1" in text
    assert "python 3.12.1 was 3.11.2 in try 1" in text
    assert "One factor changed, so a difference can be put down to it." in text


def test_a_finished_try_brings_its_rate_to_the_term_planner(client: Client, pilot: Pilot) -> None:
    page = client.get(f"/runs/{scene.tried(pilot).ref}")
    rate = page.context["page"].rate
    assert float(rate) == pytest.approx(12 * 3600 / 201, rel=0.01)
    assert f"/rent/plan?rate={rate}" in page.content.decode()
