"""An archive read again, every byte: the files against their manifests, the manifests against the signature."""

import base64
import hashlib
import json
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import IO, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone

from pilots import storage
from pilots.evidence import keys
from pilots.evidence.bag import PAYLOAD_MANIFEST
from pilots.evidence.statement import PAYLOAD_TYPE, PUBLIC_KEY, STATEMENT, TAG_MANIFEST, pae
from pilots.models import Evidence, Reread
from rental.models import User

MOST_FILES = 100_000
MOST_TAG_BYTES = 64 * 1024 * 1024  # of a manifest or a statement, read into memory
MOST_BYTES = 64 * 1024**3  # unpacked, in all
# What a zip whose bytes were changed can raise while it is read, whatever method it claims to be packed with.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
    NotImplementedError, RuntimeError, EOFError, ValueError, OSError,
)  # fmt: skip
UNLISTED = frozenset((TAG_MANIFEST, STATEMENT, PUBLIC_KEY))


@dataclass
class Found:
    """How many files match, and every difference by the file's name, the gravest first."""

    files: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def matches(self) -> bool:
        return self.files > 0 and not self.differences


def reread(evidence: Evidence, copy: IO[bytes] | None = None, *, by: User | None = None) -> Reread:
    """Read the site's archive, or a copy that was brought back, and record whether every file matches."""
    if copy is not None:
        found = read(copy)
    elif not evidence.disk_path.exists():
        found = Found(differences=[evidence.path])
    else:
        with evidence.disk_path.open("rb") as file:
            found = read(file)
        if storage.sha256_of(evidence.disk_path) != evidence.sha256:
            found.differences.append(evidence.file_name)
    return Reread.objects.create(
        evidence=evidence,
        at=timezone.now(),
        by=by,
        source="own" if copy is None else "copy",
        files=found.files,
        matches=found.matches,
        difference=", ".join(found.differences)[:400],
    )


def read(archive: IO[bytes], public: Ed25519PublicKey | None = None) -> Found:
    """Full validation and the signature of the site's own key (or `public`): only both together prove anything."""
    found = Found()
    try:
        with zipfile.ZipFile(archive) as bag:
            _read(bag, public or keys.private_key().public_key(), found)
    except DAMAGED as error:
        found.differences.append(f"archive ({type(error).__name__})")
    return found


def _read(bag: zipfile.ZipFile, public: Ed25519PublicKey, found: Found) -> None:
    names = [info.filename for info in bag.infolist() if not info.is_dir()]
    tops = {name.partition("/")[0] for name in names}
    if len(names) != len(set(names)) or len(tops) != 1 or len(names) > MOST_FILES:
        found.differences.append("archive (names)")
        return
    root = f"{tops.pop()}/"
    hashes = _hashes(bag, root, found)
    tags = _listed(bag, root, TAG_MANIFEST, found)
    payload = _listed(bag, root, PAYLOAD_MANIFEST, found)
    for name, digest in {**payload, **tags}.items():
        if hashes.get(name) == digest:
            found.files += 1
        else:
            found.differences.append(name)
    found.differences += sorted(hashes.keys() - payload.keys() - tags.keys() - UNLISTED)
    if PAYLOAD_MANIFEST not in tags:
        found.differences.append(TAG_MANIFEST)
    if not _signed(bag, root, hashes.get(TAG_MANIFEST, ""), public):
        found.differences.append(STATEMENT)


def _hashes(bag: zipfile.ZipFile, root: str, found: Found) -> dict[str, str]:
    hashes: dict[str, str] = {}
    total = 0
    for info in bag.infolist():
        if info.is_dir():
            continue
        digest = hashlib.sha256()
        name = info.filename.removeprefix(root)
        try:
            with bag.open(info) as member:
                while block := member.read(storage.BLOCK):
                    total += len(block)
                    if total > MOST_BYTES:
                        raise ValueError("the archive unpacks to more than is read")
                    digest.update(block)
            hashes[name] = digest.hexdigest()
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            EOFError,
        ):  # its stream or its checksum within the zip is wrong already
            hashes[name] = "damaged"
    return hashes


def _listed(bag: zipfile.ZipFile, root: str, name: str, found: Found) -> dict[str, str]:
    try:
        text = _small(bag, root + name).decode()
        pairs = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        return {path.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%"): digest for digest, path in pairs}
    except (KeyError, *DAMAGED):
        found.differences.append(name)
        return {}


def _small(bag: zipfile.ZipFile, name: str) -> bytes:
    with bag.open(name) as member:
        data = member.read(MOST_TAG_BYTES + 1)
    if len(data) > MOST_TAG_BYTES:
        raise ValueError(f"{name} is too large")
    return data


def _signed(bag: zipfile.ZipFile, root: str, tag_manifest_sha256: str, public: Ed25519PublicKey) -> bool:
    try:
        envelope: dict[str, Any] = json.loads(_small(bag, root + STATEMENT))
        payload = base64.b64decode(envelope["payload"], validate=True)
        told = json.loads(payload)
        if envelope["payloadType"] != PAYLOAD_TYPE:
            return False
        if {"name": TAG_MANIFEST, "digest": {"sha256": tag_manifest_sha256}} not in told["subject"]:
            return False
        for row in envelope["signatures"]:
            try:
                public.verify(base64.b64decode(row["sig"], validate=True), pae(PAYLOAD_TYPE, payload))
            except InvalidSignature:
                continue
            return True
    except (KeyError, TypeError, *DAMAGED):
        return False
    return False
