"""Evidence: whole, signed, and a forgery found by its file or by its signature."""

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from common.refusals import Refusal
from pilots import copies, decisions, evidence, items
from pilots.evidence import keys
from pilots.evidence.statement import PAYLOAD_TYPE, pae
from pilots.models import Decision, Evidence, Review, Run
from rental.models import User
from tests.pilots import projects as made

pytestmark = pytest.mark.django_db
Act = Callable[..., Run]


@pytest.fixture
def row(carried_out: Act) -> Evidence:
    return carried_out(made.good(), files={"stdout.log": b"done\n"}).evidence.get()


def content(row: Evidence) -> dict[str, bytes]:
    with zipfile.ZipFile(row.disk_path) as bag:
        return {name: bag.read(name) for name in bag.namelist()}


def zipped(files: dict[str, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bag:
        for name, data in files.items():
            bag.writestr(name, data)
    buffer.seek(0)
    return buffer


def rehash(files: dict[str, bytes]) -> None:
    """What a forger does: every manifest fits the changed content again."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    payload = sorted(name for name in files if name.startswith("evidence/data/"))
    files["evidence/manifest-sha256.txt"] = "".join(
        f"{digests[name]}  {name.removeprefix('evidence/')}\n" for name in payload
    ).encode()
    tags = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"]
    files["evidence/tagmanifest-sha256.txt"] = "".join(
        f"{hashlib.sha256(files[f'evidence/{name}']).hexdigest()}  {name}\n" for name in tags
    ).encode()


def test_a_copy_that_was_zipped_again_still_matches(row: Evidence, customer: User) -> None:
    found = evidence.reread(row, zipped(content(row)), by=customer)
    assert found.matches, found.difference
    assert (found.source, found.files) == ("copy", row.files)


def test_one_changed_byte_names_its_file(row: Evidence) -> None:
    files = content(row)
    files["evidence/data/results.jsonl"] = b"X" + files["evidence/data/results.jsonl"][1:]
    found = evidence.reread(row, zipped(files))
    assert not found.matches
    assert found.difference == "data/results.jsonl"


def test_a_forgery_that_was_hashed_again_fails_by_its_signature(row: Evidence) -> None:
    files = content(row)
    files["evidence/data/results.jsonl"] = files["evidence/data/results.jsonl"].replace(b"invoice", b"letters")
    rehash(files)
    found = evidence.reread(row, zipped(files))
    assert (found.matches, found.difference) == (False, "statement.dsse.json")


def test_a_forgery_signed_by_another_key_fails(row: Evidence) -> None:
    files = content(row)
    files["evidence/data/sheet.json"] = b"{}"
    rehash(files)
    other = Ed25519PrivateKey.generate()
    envelope = json.loads(files["evidence/statement.dsse.json"])
    told = json.loads(base64.b64decode(envelope["payload"]))
    told["subject"][0]["digest"]["sha256"] = hashlib.sha256(files["evidence/tagmanifest-sha256.txt"]).hexdigest()
    payload = json.dumps(told).encode()
    envelope["payload"] = base64.b64encode(payload).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode(other.sign(pae(PAYLOAD_TYPE, payload))).decode()
    files["evidence/statement.dsse.json"] = json.dumps(envelope).encode()
    files["evidence/public-key.pem"] = keys.public_pem(other.public_key())
    assert not evidence.reread(row, zipped(files)).matches


@pytest.mark.parametrize("change", ["missing", "added", "tag", "truncated", "no archive"])
def test_other_changes_are_found_too(row: Evidence, change: str) -> None:
    files = content(row)
    if change == "missing":
        del files["evidence/data/sheet.json"]
    elif change == "added":
        files["evidence/data/extra.txt"] = b"x"
    elif change == "tag":
        files["evidence/bag-info.txt"] += b"Contact-Name: nobody\n"
    data = zipped(files).getvalue()
    if change == "truncated":
        data = data[: len(data) // 2]
    elif change == "no archive":
        data = b"hello"
    assert not evidence.reread(row, io.BytesIO(data)).matches


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_stream_is_a_difference_and_no_fault_of_ours(row: Evidence, customer: User, method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as bag:
        for name, data in content(row).items():
            bag.writestr(name, data)
    with zipfile.ZipFile(buffer) as bag:
        info = bag.getinfo("evidence/data/sheet.json")
    start = info.header_offset + 30 + len(info.filename)
    for value in (b"\0", b"\x07", b"\xff"):
        data = bytearray(buffer.getvalue())
        data[start : start + info.compress_size] = value * info.compress_size
        found = copies.reread_copy(customer, io.BytesIO(bytes(data)))
        assert not found.matches
        assert "data/sheet.json" in found.difference or "archive" in found.difference


def test_a_copy_whose_name_of_a_run_cannot_be_read_is_unknown(row: Evidence, customer: User) -> None:
    data = bytearray(row.disk_path.read_bytes())
    with zipfile.ZipFile(row.disk_path) as bag:
        info = bag.getinfo("evidence/bag-info.txt")
    start = info.header_offset + 30 + len(info.filename)
    data[start : start + info.compress_size] = b"\xff" * info.compress_size
    with pytest.raises(Refusal) as refused:
        copies.reread_copy(customer, io.BytesIO(bytes(data)))
    assert refused.value.code == "evidence_unknown"


def test_the_statement_says_no_more_than_the_criteria(carried_out: Act) -> None:
    broken = carried_out(made.good()[:-60]).evidence.get()
    envelope = json.loads(content(broken)["evidence/statement.dsse.json"])
    told = json.loads(base64.b64decode(envelope["payload"]))
    assert told["predicate"]["result"] == "FAILED"
    assert "sheet_holds" in told["predicate"]["failedTests"]
    assert told["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"


def test_the_signing_key_is_its_owners_alone(row: Evidence, folder: Any) -> None:
    path = folder / "keys" / "evidence-ed25519.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    assert keys.key_id(keys.private_key().public_key()) == row.key_id


def test_rows_of_evidence_are_never_edited(row: Evidence) -> None:
    for attempt in (lambda: Evidence.objects.update(sha256="0" * 64), lambda: Evidence.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()


def test_prove_reads_everything_again_and_fails_on_a_difference(row: Evidence, capsys: Any) -> None:
    call_command("prove")
    assert "proved" in capsys.readouterr().out
    data = bytearray(row.disk_path.read_bytes())
    data[200] ^= 1
    row.disk_path.write_bytes(bytes(data))
    with pytest.raises(SystemExit):
        call_command("prove")
    assert row.sha256 in capsys.readouterr().out


def test_a_review_is_superseded_and_comes_into_the_next_archive(row: Evidence, customer: User) -> None:
    run = row.run
    first = items.review(run, "doc-01", by=customer, verdict="right")
    assert items.review(run, "doc-01", by=customer, verdict="right") == first
    items.review(run, "doc-01", by=customer, verdict="wrong", note="a letter")
    assert [review.verdict for review in Review.objects.filter(superseded_at=None)] == ["wrong"]
    assert Review.objects.count() == 2
    with pytest.raises(DatabaseError), transaction.atomic():
        Review.objects.update(note="edited")
    assert items.review_counts(run) == {"right": 0, "wrong": 1, "unsure": 0, "none": 11}
    assert not evidence.due(timezone.now())
    assert list(evidence.due(timezone.now() + timedelta(seconds=30))) == [run]
    newer = evidence.build(run)
    assert newer.number == 2
    assert [told["note"] for told in json.loads(content(newer)["evidence/data/reviews.json"])] == ["", "a letter"]
    assert row.disk_path.exists()
    assert not evidence.due(timezone.now() + timedelta(seconds=30))


def test_a_decision_needs_a_reason_and_evidence_of_its_own_pilot(row: Evidence, customer: User) -> None:
    pilot = row.run.pilot
    for choice, reason, digest, code in (
        ("launch", "good", "0" * 64, "evidence_unknown"),
        ("launch", "  ", row.sha256, "reason_missing"),
        ("maybe", "good", row.sha256, "choice_unknown"),
    ):
        with pytest.raises(Refusal) as refused:
            decisions.decide(pilot, customer, choice=choice, reason=reason, evidence_sha256=digest)
        assert refused.value.code == code
    first = decisions.decide(pilot, customer, choice="launch", reason="All met.", evidence_sha256=row.sha256)
    second = decisions.decide(pilot, customer, choice="fix", reason="Not quite.", evidence_sha256=row.sha256)
    first.refresh_from_db()
    assert first.superseded_at is not None
    assert pilot.decisions.filter(superseded_at=None).get() == second
    for attempt in (lambda: Decision.objects.update(reason="edited"), lambda: Decision.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
