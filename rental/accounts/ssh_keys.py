"""Public SSH keys: what is a good one, and a customer's list of them."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_ssh_public_key
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.models import SshKey, User

SHORTEST_RSA = 3072
KEYS = 20
LONGEST = 5_000
# Keys that live in a security token: OpenSSH's own kinds, of which only the form can be checked here.
IN_TOKENS = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")
PLAIN = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa")
PRIVATE = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File|^AGE-SECRET-KEY|openssh-key-v1", re.M)


@dataclass(frozen=True)
class PublicKey:
    """A key in OpenSSH's one-line form, without its comment, and its SHA-256 fingerprint as OpenSSH writes it."""

    kind: str
    line: str
    fingerprint: str
    comment: str


def read(text: str) -> PublicKey:
    """The public key in `text`.

    Raises:
        Refusal: at field `key` (422): `private_key`, `no_key`, `several_keys`, `key_options`, `weak_key`,
            `unknown_kind`.
    """
    if PRIVATE.search(text):
        raise _wrong("private_key", _("This is a private key. It stays on your machine: it was not kept here."))
    lines = [line.strip() for line in text.replace("\0", "").splitlines() if line.strip()]
    if len(lines) > 1:
        raise _wrong("several_keys", _("Paste one public key, on one line."))
    parts = lines[0].split(None, 2) if lines and len(lines[0]) <= LONGEST else []
    known = (*PLAIN, *IN_TOKENS)
    if len(parts) >= 2 and parts[0] not in known and any(kind in lines[0] for kind in known):
        raise _wrong("key_options", _("Leave out the options before the key: it begins with its kind."))
    if len(parts) < 2 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,3}", parts[1]):
        raise _wrong("no_key", _("This is not a public SSH key. It is one line, for example “ssh-ed25519 AAAA… name”."))
    kind, blob = parts[0], _blob(parts[0], parts[1])
    _check(kind, f"{kind} {parts[1]}")
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    comment = re.sub(r"[^\w.@+ -]", "", parts[2])[:60].strip() if len(parts) > 2 else ""
    return PublicKey(kind, f"{kind} {base64.b64encode(blob).decode()}", f"SHA256:{digest}", comment)


def _blob(kind: str, text: str) -> bytes:
    """The key's bytes; they name their kind once more, and must name the same."""
    try:
        blob = base64.b64decode(text, validate=True)
    except binascii.Error:
        blob = b""
    name = kind.encode()
    if blob[:4] != len(name).to_bytes(4, "big") or blob[4 : 4 + len(name)] != name:
        raise _wrong("no_key", _("This key is not whole. Copy its line again, from its kind to its end."))
    return blob


def _check(kind: str, line: str) -> None:
    if kind in IN_TOKENS:
        return
    if kind not in PLAIN:
        sentence = _("Keys of the kind %(kind)s are not taken. Make an Ed25519 key: ssh-keygen -t ed25519")
        raise _wrong("unknown_kind", sentence % {"kind": kind[:40]})
    try:
        key = load_ssh_public_key(line.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        sentence = _("This key is not whole. Copy its line again, from its kind to its end.")
        raise _wrong("no_key", sentence) from error
    if isinstance(key, rsa.RSAPublicKey) and key.key_size < SHORTEST_RSA:
        sentence = _("This RSA key has %(bits)d bits; %(least)d are needed. Better: ssh-keygen -t ed25519")
        raise _wrong("weak_key", sentence % {"bits": key.key_size, "least": SHORTEST_RSA})


def _wrong(code: str, sentence: object) -> Refusal:
    return Refusal(code, sentence, status=422, field="key")  # type: ignore[arg-type]


def of(customer: User) -> list[SshKey]:
    """The keys a machine is prepared with now."""
    return list(SshKey.objects.filter(customer=customer, removed_at=None))


def add(customer: User, *, text: str, label: str) -> SshKey:
    """Keep a public key; the same one again is the one that is there."""
    found = read(text)
    if SshKey.objects.filter(customer=customer, removed_at=None).count() >= KEYS:
        raise _wrong("too_many_keys", _("An account holds at most 20 keys. Remove one first."))
    label = (label.replace("\0", "").strip() or found.comment or found.kind)[:60]
    facts = {"kind": found.kind, "line": found.line, "label": label}
    try:
        with transaction.atomic():
            return SshKey.objects.create(customer=customer, fingerprint=found.fingerprint, **facts)
    except IntegrityError:
        return SshKey.objects.get(customer=customer, fingerprint=found.fingerprint, removed_at=None)


def remove(customer: User, number: int) -> bool:
    """Take a key off the list. A machine that was prepared with it keeps it until its term ends."""
    rows = SshKey.objects.filter(pk=number, customer=customer, removed_at=None)
    return bool(rows.update(removed_at=timezone.now()))
