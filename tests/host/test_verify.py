"""Evidence re-read: every changed, added or removed file is named, and a re-hashed forgery does not pass."""

import base64
import hashlib
import json
import zipfile
from pathlib import Path

import bagit
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pilots.host.cli import main
from pilots.host.verify import PAYLOAD_TYPE, PUBLIC_KEY, STATEMENT, TAG_MANIFEST, pae, verify

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def sign(bag: Path, key: Ed25519PrivateKey = KEY) -> None:
    digest = hashlib.sha256((bag / TAG_MANIFEST).read_bytes()).hexdigest()
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "subject": [{"name": TAG_MANIFEST, "digest": {"sha256": digest}}],
        "predicate": {"result": "PASSED"},
    }
    payload = json.dumps(statement).encode()
    signature = key.sign(pae(PAYLOAD_TYPE, payload))
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": "k1", "sig": base64.b64encode(signature).decode()}],
    }
    (bag / STATEMENT).write_text(json.dumps(envelope))
    (bag / PUBLIC_KEY).write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    folder = tmp_path / "evidence"
    (folder / "logs").mkdir(parents=True)
    (folder / "results.jsonl").write_text('{"id": "doc-01", "status": "accepted", "category": "a"}\n')
    (folder / "logs/stdout.log").write_text("ready\n")
    (folder / "résumé 100%.txt").write_text("names with spaces, accents and percent signs\n")
    bagit.make_bag(str(folder), checksums=["sha256"])
    sign(folder)
    return folder


def zipped(bag: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w") as file:
        for path in sorted(bag.rglob("*")):
            if path.is_file():
                file.write(path, Path(bag.name) / path.relative_to(bag))
    return target


def test_whole_evidence_holds_as_folder_and_zip(bag: Path, tmp_path: Path) -> None:
    for copy in (bag, zipped(bag, tmp_path / "e.zip")):
        found = verify(copy, PEM)
        assert found.holds, found.as_dict()
        assert found.files == 6  # three of the payload, three tags
        assert found.key_given


def test_same_size_edit_is_named(bag: Path, tmp_path: Path) -> None:
    path = bag / "data/results.jsonl"
    path.write_bytes(path.read_bytes().replace(b"doc-01", b"doc-02"))
    found = verify(zipped(bag, tmp_path / "e.zip"), PEM)
    assert not found.holds
    assert found.changed == ["data/results.jsonl"]


def test_added_and_removed_are_named(bag: Path) -> None:
    (bag / "data/logs/stdout.log").unlink()
    (bag / "data/extra.txt").write_text("x")
    (bag / "notes.txt").write_text("beside the tags")
    found = verify(bag, PEM)
    assert (found.removed, found.added) == (["data/logs/stdout.log"], ["data/extra.txt", "notes.txt"])
    assert not found.holds


def test_rehashed_forgery_fails_by_its_signature(bag: Path) -> None:
    statement = (bag / STATEMENT).read_bytes()
    (bag / "data/results.jsonl").write_text('{"id": "doc-01", "status": "accepted", "category": "forged"}\n')
    made = bagit.Bag(str(bag))
    made.save(manifests=True)
    (bag / STATEMENT).write_bytes(statement)
    found = verify(bag, PEM)
    assert not found.holds
    assert found.signed_by is None


def test_forgery_signed_with_another_key_fails_with_the_sites_key(bag: Path) -> None:
    other = Ed25519PrivateKey.from_private_bytes(b"x" * 32)
    sign(bag, other)
    assert not verify(bag, PEM).holds
    assert verify(bag).signed_by != verify(bag, PEM).signed_by


@pytest.mark.parametrize("spoil", ["missing", "not json", "other subject", "flipped bit"])
def test_spoiled_statement(bag: Path, spoil: str) -> None:
    path = bag / STATEMENT
    if spoil == "missing":
        path.unlink()
    elif spoil == "not json":
        path.write_text("{")
    elif spoil == "flipped bit":
        envelope = json.loads(path.read_text())
        raw = bytearray(base64.b64decode(envelope["payload"]))
        raw[20] ^= 1
        envelope["payload"] = base64.b64encode(raw).decode()
        path.write_text(json.dumps(envelope))
    else:
        (bag / "bag-info.txt").write_text("Payload-Oxum: 1.1\n")
        bagit.Bag(str(bag)).save()
    found = verify(bag, PEM)
    assert not found.holds
    assert found.problems


def test_link_and_foreign_manifest_lines(bag: Path) -> None:
    (bag / "data/link").symlink_to("/etc/passwd")
    found = verify(bag, PEM)
    assert "data/link is a link." in found.problems
    (bag / "data/link").unlink()
    with (bag / "manifest-sha256.txt").open("a") as file:
        file.write(f"{'0' * 64}  ../outside\n")
    assert any("outside" in problem for problem in verify(bag, PEM).problems)


def test_command_line_names_the_file(bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pem = tmp_path / "site.pem"
    pem.write_bytes(PEM)
    assert main(["verify", str(bag), "--key", str(pem)]) == 0
    assert "6 files match" in capsys.readouterr().out
    (bag / "data/logs/stdout.log").write_text("ready?")
    assert main(["verify", str(bag), "--key", str(pem)]) == 1
    assert "changed: data/logs/stdout.log" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "nothing.zip")]) == 2
