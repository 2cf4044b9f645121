"""Evidence re-read from a copy: every byte against the bag's manifests, the manifests against the signature."""

import base64
import hashlib
import json
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import bagit
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from pilots.host.collecting import sha256_of
from pilots.host.folders import open_plain
from pilots.host.journal import now
from pilots.spec import archive

TAG_MANIFEST: Final = "tagmanifest-sha256.txt"
PAYLOAD_MANIFEST: Final = "manifest-sha256.txt"
STATEMENT: Final = "statement.dsse.json"
PUBLIC_KEY: Final = "public-key.pem"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
# These stand beside the bag's own tags: they sign the tag manifest and so cannot be listed in it.
_UNLISTED: Final = frozenset({TAG_MANIFEST, STATEMENT, PUBLIC_KEY})
_LIMITS: Final = archive.Limits(
    packed_bytes=64 * 1024**3, unpacked_bytes=256 * 1024**3, member_bytes=64 * 1024**3, members=1_000_000, ratio=2000
)


@dataclass
class Reread:
    """What a re-reading found. `holds` needs whole contents and a right signature, both."""

    at: str = field(default_factory=now)
    files: int = 0  # that match
    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    signed_by: str | None = None  # SHA-256 of the public key that the signature fits
    key_given: bool = False  # False: only the key inside the evidence was asked

    @property
    def holds(self) -> bool:
        return self.signed_by is not None and not (self.changed or self.added or self.removed or self.problems)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


def verify(path: Path, key: bytes | None = None) -> Reread:
    """Re-reads a zip or an unpacked folder; `key` is the PEM of the site that should have signed it."""
    found = Reread(key_given=key is not None)
    try:
        with _folder(path) as folder:
            _contents(folder, found)
            _bag(folder, found)
            _signature(folder, key, found)
    except archive.Refused as refused:
        found.problems.append(f"The archive is not safe to unpack: {refused}")
    return found


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="kernodeck-verify-") as place:
        folder = Path(place) / "evidence"
        archive.unpack(path, folder, _LIMITS)
        yield folder


def _contents(folder: Path, found: Reread) -> None:
    """Each file by name: listed and equal, changed, listed and gone, there and not listed."""
    listed: dict[str, str] = {}
    for name in (PAYLOAD_MANIFEST, TAG_MANIFEST):
        try:
            listed |= _manifest(folder / name)
        except (OSError, ValueError) as error:
            found.problems.append(f"{name} cannot be read: {error}")
    there = set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.problems.append(f"{name} is a link.")
        elif path.is_file():
            there.add(name)
    for name, digest in sorted(listed.items()):
        if name not in there:
            found.removed.append(name)
        elif _sha256(folder / name) != digest:
            found.changed.append(name)
        else:
            found.files += 1
    found.added = sorted(there - listed.keys() - _UNLISTED)


def _manifest(path: Path) -> dict[str, str]:
    rows = {}
    with open_plain(path) as file:
        for line in file.read().decode("utf-8").splitlines():
            if line.strip():
                digest, _, name = line.strip().partition(" ")
                name = unquote(name.strip().removeprefix("*"))
                if not name or name.startswith(("/", "~")) or ".." in name.split("/"):
                    raise ValueError(f"it names {name!r}")
                rows[name] = digest.lower()
    return rows


def _bag(folder: Path, found: Reread) -> None:
    """BagIt's own full validation, as a second reading; its fast modes pass a same-size edit."""
    logging.getLogger("bagit").setLevel(logging.CRITICAL)
    try:
        bagit.Bag(str(folder)).validate(fast=False, completeness_only=False)
    except bagit.BagError as error:
        if not (found.changed or found.added or found.removed):
            found.problems.append(f"Not a valid bag: {error}")
    except (OSError, ValueError) as error:
        found.problems.append(f"Not a bag: {error}")


def _signature(folder: Path, key: bytes | None, found: Reread) -> None:
    try:
        with open_plain(folder / STATEMENT) as file:
            envelope = json.loads(file.read())
        payload = base64.b64decode(envelope["payload"], validate=True)
        signatures = [base64.b64decode(row["sig"], validate=True) for row in envelope["signatures"]]
        kind, statement = str(envelope["payloadType"]), json.loads(payload)
        subjects = {row["name"]: row["digest"]["sha256"] for row in statement["subject"]}
    except OSError:
        found.problems.append(f"There is no signature: {STATEMENT} is missing.")
        return
    except (ValueError, KeyError, TypeError) as error:
        found.problems.append(f"{STATEMENT} is no signed statement: {type(error).__name__} {error}")
        return
    try:
        public = _public_key(key if key is not None else (folder / PUBLIC_KEY).read_bytes())
    except (OSError, ValueError, UnsupportedAlgorithm) as error:
        found.problems.append(f"The public key cannot be read: {error}")
        return
    if kind != PAYLOAD_TYPE or not any(_fits(public, signature, kind, payload) for signature in signatures):
        found.problems.append("The signature does not fit this key.")
        return
    try:
        actual = _sha256(folder / TAG_MANIFEST)
    except OSError:
        return
    if subjects.get(TAG_MANIFEST) != actual:
        found.problems.append(f"The signature is for another {TAG_MANIFEST}.")
        if TAG_MANIFEST not in found.changed:
            found.changed.append(TAG_MANIFEST)
        return
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    found.signed_by = hashlib.sha256(raw).hexdigest()


def _public_key(pem: bytes) -> Ed25519PublicKey:
    key = load_pem_public_key(pem)
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("it is no Ed25519 key")
    return key


def pae(kind: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what is really signed."""
    return b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)


def _fits(public: Ed25519PublicKey, signature: bytes, kind: str, payload: bytes) -> bool:
    try:
        public.verify(signature, pae(kind, payload))
    except InvalidSignature:
        return False
    return True


def _sha256(path: Path) -> str:
    return sha256_of(path)
