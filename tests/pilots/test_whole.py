"""A pilot from its archive to its evidence, through the host's API."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import bagit
import pytest

from pilots import evidence, items
from pilots.models import Item, Pilot, Run
from tests.pilots import projects as made
from tests.pilots.hosts import Claimed

pytestmark = pytest.mark.django_db
Act = Callable[..., Run]


def test_twelve_documents_hold_and_their_evidence_is_a_signed_bag(carried_out: Act, tmp_path: Path) -> None:
    run = carried_out(made.good(), files={"stdout.log": b"done\n", "freeze.txt": b"a==1\n"})
    assert (run.outcome, run.stage, run.reached) == ("completed", "verified", "collecting")
    assert run.verified_at is not None
    assert run.sheet is not None
    assert (run.sheet["declared"], run.sheet["accepted"], run.sheet["refused"]) == (12, 11, 1)
    assert run.sheet["holds"] is True
    assert run.holds is True
    assert [event.new for event in run.events.filter(kind="move")] == ["queued", "claimed", "completed", "verified"]

    row = run.evidence.get()
    reread = evidence.reread(row)
    assert reread.matches, reread.difference
    assert reread.files == row.files
    with zipfile.ZipFile(row.disk_path) as bag:
        bag.extractall(tmp_path / "bag")
    found = bagit.Bag(str(tmp_path / "bag" / "evidence"))
    found.validate()
    names = set(found.payload_files())
    assert {"data/spec.json", "data/results.jsonl", "data/sheet.json", "data/report.html", "data/freeze.txt"} <= names
    assert {"data/ro-crate-metadata.json", "data/logs/stdout.log", "data/reviews.json", "data/events.jsonl"} <= names


def test_the_same_facts_give_the_same_archive(carried_out: Act) -> None:
    run = carried_out(made.good())
    row = run.evidence.get()
    again = evidence.build(Run.objects.get(pk=run.pk))
    assert again == row


def test_a_page_of_items_has_missing_ids_as_rows_and_strays_apart(carried_out: Act) -> None:
    broken = made.lines(
        *[made.accepted(name) for name in made.ids()[:5]],
        made.accepted("doc-03", "letter"),
        made.accepted("warmup"),
        "{not json",
        made.refused("doc-12"),
    )
    run = carried_out(broken, outcome="failed", reason="program_failed", fault="project", exit_code=3)
    assert run.holds is False
    assert run.sheet is not None
    assert run.sheet["missing"] == made.ids()[5:11]
    assert (run.sheet["duplicated"], run.sheet["invented"], run.sheet["malformed_lines"]) == (
        ["doc-03"],
        ["warmup"],
        [8],
    )
    assert [(item.kind, item.line) for item in items.strays(run)] == [
        ("duplicated", 6), ("invented", 7), ("malformed", 8),
    ]  # fmt: skip
    assert (run.accepted, run.refused, run.missing, run.strays) == (5, 1, 6, 3)
    assert run.stage == "verified"
    assert run.outcome == "failed"
    first = items.page(run, limit=5)
    assert [row.status for row in first.rows] == ["accepted"] * 5
    second = items.page(run, after=first.next or 0, limit=20)
    assert [row.status for row in second.rows] == ["missing"] * 6 + ["refused"]
    assert second.next is None
    assert second.previous is not None
    back = items.page(run, before=second.previous, limit=5)
    assert [row.declared.item_id for row in back.rows] == made.ids()[:5]
    missing = items.page(run, items.Filters(status="missing"))
    assert [row.declared.item_id for row in missing.rows] == made.ids()[5:11]


def test_a_last_line_without_its_newline_counts_at_the_end_only(claimed: Claimed, run: Run) -> None:
    whole = made.good()
    claimed.ship("results.jsonl", whole[:-20])
    claimed.ship("results.jsonl", whole[-20:-1])
    assert Item.objects.filter(run=run).count() == 11
    claimed.finish()
    assert Item.objects.filter(run=run).count() == 12


def test_two_programs_that_differ_in_one_file_differ_in_their_spec(pilot: Pilot) -> None:
    assert pilot.spec is not None
    assert pilot.spec_sha256 == __import__("hashlib").sha256(pilot.spec.canonical.encode()).hexdigest()


def test_the_command_line_verifies_the_archive_and_names_a_changed_file(carried_out: Act, tmp_path: Path) -> None:
    pytest.importorskip("pilots.host.cli")
    row = carried_out(made.good()).evidence.get()
    command = [sys.executable, "-m", "pilots.host.cli", "verify"]
    assert subprocess.run([*command, str(row.disk_path)], check=False).returncode == 0
    forged = tmp_path / "forged.zip"
    forged.write_bytes(changed(row.disk_path, "data/results.jsonl"))
    answer = subprocess.run([*command, str(forged)], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "results.jsonl" in answer.stdout + answer.stderr


def changed(path: Path, name: str) -> bytes:
    """The archive with one byte of a file changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith(name):
                data = bytes([data[0] ^ 1]) + data[1:]
            new.writestr(info.filename, data)
    return buffer.getvalue()
