"""From a project folder to a decision: upload, report, freeze, items, verdicts of people, copies, the desk."""

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pilots import decisions, items, runs
from pilots.models import Decision, Evidence, Host, Pilot, Project, Reread, Review, Run
from rental.models import Order, User
from tests.pilots import scene
from tests.rental.pages import at_desk, hidden, signed_in, text_of, title_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return scene.person("owner@example.org")


@pytest.fixture
def staff() -> User:
    return scene.person("staff@example.org", is_staff=True)


@pytest.fixture
def machine() -> Host:
    return scene.host()


@pytest.fixture
def order(owner: User, staff: User, machine: Host) -> Order:
    return scene.delivered(owner, staff, machine)


@pytest.fixture
def pilot(owner: User, order: Order, machine: Host) -> Pilot:
    return scene.pilot(owner, order, machine)


@pytest.fixture
def client(owner: User) -> Client:
    return signed_in(owner)


@pytest.fixture
def stranger() -> Client:
    return signed_in(scene.person("stranger@example.org"))


def test_an_archive_is_checked_frozen_and_started(client: Client, order: Order, machine: Host) -> None:
    assert "There is no pilot yet." in text_of(client.get("/pilots/"))
    sent = client.post("/pilots/new", {"archive": scene.archive(scene.example_files())})
    project = Project.objects.get()
    assert sent.url == f"/projects/{project.ref}"
    report = client.get(sent.url)
    assert "The folder is ready to be frozen." in text_of(report)
    assert "at least 80%" in text_of(report)
    assert f"CPU trial, order {order.code}" in text_of(report)
    frozen = client.post(sent.url, {"title": "Supplier post", "place": f"{order.code}:{machine.name}"})
    pilot = Pilot.objects.get()
    assert frozen.url == f"/pilots/{pilot.ref}"
    page = client.get(frozen.url)
    assert pilot.spec_sha256 in page.content.decode()
    assert "Nothing was tried yet." in text_of(page)
    started = client.post(f"/pilots/{pilot.ref}/runs")
    assert started.url == f"/runs/{Run.objects.get().ref}"
    again = client.post(f"/pilots/{pilot.ref}/runs", follow=True)
    assert "Try 1 has not ended yet." in text_of(again)
    assert Run.objects.count() == 1
    assert "Supplier post Try 1 12 = 0 + 0 + 12 trial-1 queued" in text_of(client.get("/pilots/"))


def test_what_must_be_fixed_is_named_with_file_line_and_cure(client: Client) -> None:
    files = scene.example_files(items=11)
    files["src/where.py"] = b"import sys\nopen('/home/ana/model.bin')\n"
    del files["README.md"]
    sent = client.post("/pilots/new", {"archive": scene.archive(files)})
    page = client.get(sent.url)
    text = text_of(page)
    assert "3 things must be fixed before this folder can run." in text
    for words in (
        "There is no README.",
        "src/where.py:2",
        "Use a path relative to the project folder.",
        "config/pilote",
    ):
        assert words in text
    assert "Freeze the spec" not in text
    refused = client.post(sent.url, {"title": "x", "place": ""})
    assert refused.status_code == 200
    assert not Pilot.objects.exists()


def test_an_unsafe_archive_is_refused_on_the_form_and_nothing_is_kept(client: Client) -> None:
    page = client.post("/pilots/new", {"archive": scene.archive({"../outside.txt": b"x"})})
    assert page.status_code == 200
    assert title_of(page).startswith("Error: ")
    assert 'aria-invalid="true"' in page.content.decode()
    assert not Project.objects.exists()
    empty = client.post("/pilots/new", {})
    assert "Choose the archive of your project folder." in text_of(empty)


def test_a_spec_can_be_frozen_before_anything_is_rented(client: Client, owner: User) -> None:
    project = scene.project(owner)
    assert "You have no delivered machine now." in text_of(client.get(f"/projects/{project.ref}"))
    frozen = client.post(f"/projects/{project.ref}", {"title": "Early"})
    page = client.get(frozen.url)
    assert "choose the machine below" in text_of(page)
    assert "Start try" not in text_of(page)


def test_a_place_of_somebody_else_is_no_choice(client: Client, owner: User, staff: User) -> None:
    other = scene.host("other-1")
    theirs = scene.delivered(scene.person("other@example.org"), staff, other)
    project = scene.project(owner)
    page = client.post(f"/projects/{project.ref}", {"title": "x", "place": f"{theirs.code}:other-1"})
    assert not Pilot.objects.filter(host=other).exists()
    assert page.status_code in (200, 302)


def test_items_by_filter_and_a_verdict_beside_the_input(client: Client, pilot: Pilot) -> None:
    rows = [({**row, "category": "letter"} if row["id"] == "doc-09" else row) for row in scene.good_lines()]
    run = scene.tried(pilot, rows)
    every = client.get(f"/runs/{run.ref}/items")
    assert len(re.findall(r'<th scope="row" id="item-', every.content.decode())) == 12
    differs = client.get(f"/runs/{run.ref}/items?disagreement=on")
    assert re.findall(r'class="id" href="[^"]+">(doc-\d+)', differs.content.decode()) == ["doc-09"]
    assert "No item passes this filter." in text_of(client.get(f"/runs/{run.ref}/items?status=missing"))
    refused = client.get(f"/runs/{run.ref}/items?status=refused")
    assert "no text layer" in text_of(refused)

    page = client.get(f"/runs/{run.ref}/items/doc-09?status=accepted")
    text = text_of(page)
    assert "letter, differs" in text
    assert "BAIL COMMERCIAL" in text
    assert f'href="/runs/{run.ref}/items/doc-10?status=accepted" id="next-item"' in page.content.decode()
    unsaid = client.post(f"/runs/{run.ref}/items/doc-09", {"note": "a lease"})
    assert "Say whether it is right, wrong, or unsure." in text_of(unsaid)
    assert "a lease" in unsaid.content.decode(), "nothing typed is lost"
    saved = client.post(
        f"/runs/{run.ref}/items/doc-09?status=accepted", {"verdict": "wrong", "note": "a lease", "next": "1"}
    )
    assert saved.url == f"/runs/{run.ref}/items/doc-10?status=accepted"
    client.post(f"/runs/{run.ref}/items/doc-09", {"verdict": "unsure", "note": ""})
    said = [(review.verdict, review.superseded_at is None) for review in Review.objects.all()]
    assert said == [("unsure", True), ("wrong", False)]
    assert client.get(f"/runs/{run.ref}/items/doc-99").status_code == 404


def test_the_sample_leads_from_item_to_item(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot)
    page = client.get(f"/runs/{run.ref}/sample")
    ids = re.findall(r'<a class="id" href="[^"]+">(doc-\d+)</a>', page.content.decode())
    assert "doc-12" in ids, "every refusal"
    step = client.post(f"/runs/{run.ref}/items/{ids[0]}?sample=1", {"verdict": "right", "next": "1"})
    assert step.url == f"/runs/{run.ref}/items/{ids[1]}?sample=1"
    last = client.post(f"/runs/{run.ref}/items/{ids[-1]}?sample=1", {"verdict": "right", "next": "1"})
    assert last.url == f"/runs/{run.ref}/sample"


def test_a_binary_input_is_offered_as_a_file_only(client: Client, owner: User, order: Order, machine: Host) -> None:
    files = scene.example_files()
    files["data/pilote/doc-03.txt"] = b"\x89PNG\x00\x00<script>"
    run = scene.tried(scene.pilot(owner, order, machine, files))
    page = client.get(f"/runs/{run.ref}/items/doc-03")
    assert "This input is not plain text." in text_of(page)
    assert "PNG" not in text_of(page)
    saved = client.get(f"/runs/{run.ref}/inputs/doc-03")
    assert b"".join(saved.streaming_content) == files["data/pilote/doc-03.txt"]  # type: ignore[attr-defined]


def decide(client: Client, pilot: Pilot, choice: str, reason: str = "All criteria met.") -> str:
    form = client.get(f"/pilots/{pilot.ref}/decision")
    sent = client.post(
        f"/pilots/{pilot.ref}/decision",
        {
            "choice": choice,
            "reason": reason,
            "figures": hidden(form, "figures"),
            "try_number": hidden(form, "try_number"),
        },
    )
    assert sent.status_code == 302, text_of(sent)
    return str(sent.url)


def test_a_decision_is_checked_recorded_and_stays(client: Client, pilot: Pilot, order: Order) -> None:
    assert "nothing to rest a decision on yet" in text_of(client.get(f"/pilots/{pilot.ref}/decision"))
    run = scene.tried(pilot)
    items.review(run, "doc-12", by=pilot.customer, verdict="right")
    form = client.get(f"/pilots/{pilot.ref}/decision")
    text = text_of(form)
    for words in (
        "Try 1 holds on every criterion fixed before it.", "1 of 12 items", "No GPU took part",
        "11 results were not looked at by a person.", "Prefills try 2 of the same spec.",
    ):  # fmt: skip
        assert words in text, words
    check = decide(client, pilot, "launch", "All criteria met.\nWe accept it.")
    assert not Decision.objects.exists(), "nothing is kept before the check page"
    page = client.get(check)
    assert "What will be kept" in text_of(page)
    assert run.evidence.get().sha256 in page.content.decode()
    again = client.get(f"/pilots/{pilot.ref}/decision")
    assert "We accept it." in again.content.decode(), "Change comes back with what was written"
    recorded = client.post(check)
    decision = Decision.objects.get()
    assert recorded.url == f"/decisions/{decision.pk}"
    assert decision.evidence_sha256 == run.evidence.get().sha256
    final = client.get(recorded.url)
    assert f"/rent/?card={order.card.slug}&amp;days={order.days}" in final.content.decode()
    assert "Figures changed since" not in text_of(final)

    client.post(decide(client, pilot, "revise", "More memory."))
    text = text_of(client.get(recorded.url))
    assert "by a later decision." in text
    assert "It stays as it was." in text
    scene.tried(pilot)
    items.review(run, "doc-01", by=pilot.customer, verdict="right")
    newest = text_of(client.get(f"/decisions/{Decision.objects.latest('pk').pk}"))
    assert "Figures changed since: 1 try was made since. 1 result was looked at since." in newest


def test_figures_that_moved_while_the_form_was_open_are_shown_again(client: Client, pilot: Pilot) -> None:
    run = scene.tried(pilot)
    form = client.get(f"/pilots/{pilot.ref}/decision")
    items.review(run, "doc-09", by=pilot.customer, verdict="wrong")
    sent = client.post(
        f"/pilots/{pilot.ref}/decision",
        {"choice": "launch", "reason": "fine", "figures": hidden(form, "figures"), "try_number": "1"},
    )
    assert "The figures changed since you opened this page." in text_of(sent)
    assert "fine" in sent.content.decode()
    assert hidden(sent, "figures") != hidden(form, "figures")


def test_an_earlier_try_can_be_decided_on(client: Client, pilot: Pilot) -> None:
    first = scene.tried(pilot, scene.good_lines()[1:])
    scene.tried(pilot)
    text = text_of(client.get(f"/pilots/{pilot.ref}/decision?try=1"))
    assert "doc-01 is missing" in text
    assert first.evidence.get().sha256 in text


def test_a_copy_is_read_again_and_a_changed_byte_is_named(client: Client, pilot: Pilot, stranger: Client) -> None:
    run = scene.tried(pilot)
    evidence = Evidence.objects.get()
    data = evidence.disk_path.read_bytes()
    sent = client.post("/verify/", {"archive": uploaded(data)})
    page = client.get(sent.url)
    assert "files match." in text_of(page)
    assert Reread.objects.get().matches
    assert stranger.get(sent.url).status_code == 404
    foreign = stranger.post("/verify/", {"archive": uploaded(data)})
    assert "This is no evidence of a run of yours." in text_of(foreign)

    forged = client.post("/verify/", {"archive": uploaded(changed(data, "data/results.jsonl"))})
    text = text_of(client.get(forged.url))
    assert "This copy is not what we signed." in text
    assert "data/results.jsonl" in text
    assert "This is no evidence" in text_of(client.post("/verify/", {"archive": uploaded(b"not a zip")}))
    assert "A copy that was brought back: different: data/results.jsonl" in text_of(client.get(f"/runs/{run.ref}"))


def uploaded(data: bytes) -> io.BytesIO:
    file = io.BytesIO(data)
    file.name = "evidence.zip"
    return file


def changed(data: bytes, name: str) -> bytes:
    """The same archive with one byte of one file changed, its zip checksums right again."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            body = old.read(info)
            if info.filename.endswith(name):
                body = b"X" + body[1:]
            new.writestr(info, body)
    return out.getvalue()


def test_only_its_owner_sees_projects_pilots_and_decisions(
    client: Client, stranger: Client, pilot: Pilot, owner: User
) -> None:
    run = scene.tried(pilot)
    sha256 = run.evidence.get().sha256
    decision = decisions.decide(pilot, owner, choice="fix", reason="x", evidence_sha256=sha256)
    assert pilot.project is not None
    for path in (
        f"/projects/{pilot.project.ref}", f"/pilots/{pilot.ref}", f"/pilots/{pilot.ref}/decision",
        f"/decisions/{decision.pk}",
    ):  # fmt: skip
        assert client.get(path).status_code == 200, path
        assert stranger.get(path).status_code == 404, path
        assert Client().get(path).status_code == 302, path
    for path in (f"/pilots/{pilot.ref}/runs", f"/pilots/{pilot.ref}/place", f"/pilots/{pilot.ref}/decision/check"):
        assert stranger.post(path).status_code == 404, path
        assert Client().post(path).status_code == 302, path
    assert "Supplier post" not in text_of(stranger.get("/pilots/"))
    for path in ("/pilots/", "/pilots/new", "/verify/"):
        assert Client().get(path).status_code == 302


def test_the_sheet_comes_as_json_and_as_csv_that_no_spreadsheet_runs(client: Client, pilot: Pilot) -> None:
    rows = scene.good_lines()
    rows[11] = scene.line("doc-12", reason="=HYPERLINK(1)")
    run = scene.tried(pilot, rows)
    told = json.loads(b"".join(client.get(f"/runs/{run.ref}/sheet.json").streaming_content))  # type: ignore[attr-defined]
    assert told["sheet"]["declared"] == 12
    assert told["holds"] is True
    text = b"".join(client.get(f"/runs/{run.ref}/sheet.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert len(text.splitlines()) == 13
    assert "'=HYPERLINK(1)" in text
    assert ",0.54," in text, "numbers stay numbers"


def test_the_desk_shows_silent_hosts_first_and_lets_machines_in(staff: User, client: Client, machine: Host) -> None:
    quiet = scene.host("quiet-1")
    Host.objects.filter(pk=quiet.pk).update(last_seen_at=timezone.now() - timedelta(hours=2))
    desk = at_desk(staff)
    page = desk.get("/desk/hosts/")
    text = text_of(page)
    assert text.index("quiet-1") < text.index("trial-1")
    assert "silent" in text
    shown = desk.post("/desk/hosts/", {"name": "new-1"})
    word = re.search(r"ke_[\w-]{40,}", shown.content.decode())
    assert word
    assert "no-store" in shown["Cache-Control"]
    assert word.group() not in desk.get("/desk/hosts/").content.decode(), "shown once"
    assert "Begin with a small letter" in text_of(desk.post("/desk/hosts/", {"name": "Bad Name"}))
    for path in ("/desk/hosts/", "/desk/runs/", "/desk/hosts/quiet-1/revoke"):
        assert client.get(path).status_code == 404, "no customer"
        assert Client().get(path).status_code == 404
        assert signed_in(staff).get(path).status_code == 302, "no desk without the second factor"


def test_the_desk_names_runs_that_need_a_look(staff: User, pilot: Pilot) -> None:
    run = scene.claim(runs.start(pilot, pilot.customer))
    Run.objects.filter(pk=run.pk).update(last_report_at=timezone.now() - timedelta(minutes=5))
    desk = at_desk(staff)
    text = text_of(desk.get("/desk/runs/"))
    assert run.ref[:8] in text
    assert "owner@example.org" in text
    Run.objects.filter(pk=run.pk).update(last_report_at=timezone.now())
    assert "No run is silent" in text_of(desk.get("/desk/runs/"))


def test_a_changed_folder_makes_a_new_version_and_its_try_names_what_changed(client: Client, pilot: Pilot) -> None:
    scene.tried(pilot)
    files = scene.example_files()
    config = json.loads(files["config/pilote.json"])
    config["parameters"]["batch_size"] = 4
    files["config/pilote.json"] = json.dumps(config, indent=2).encode()
    assert f"/pilots/new?of={pilot.ref}" in client.get(f"/pilots/{pilot.ref}").content.decode()
    sent = client.post(f"/pilots/new?of={pilot.ref}", {"archive": scene.archive(files)})
    assert f"For the next version of “{pilot.title}”." in text_of(client.get(sent.url))
    assert pilot.order is not None
    assert pilot.host is not None
    made = client.post(sent.url, {"title": pilot.title, "place": f"{pilot.order.code}:{pilot.host.name}"})
    version = Pilot.objects.exclude(pk=pilot.pk).get()
    assert (version.previous, version.version) == (pilot, 2)
    assert "This is version 2." in text_of(client.get(made.url))
    text = text_of(client.get(f"/runs/{scene.tried(version).ref}"))
    assert "Changed since the version before" in text
    assert "parameters.batch_size 4 was 8 in try 1 of the version before" in text
