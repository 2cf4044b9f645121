"""The site's signing key: made once, readable by its owner alone; its public half goes out with every archive."""

import hashlib
import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings

NAME = "evidence-ed25519.pem"


def private_key() -> Ed25519PrivateKey:
    """From EVIDENCE_SIGNING_KEY (PEM) or DATA_DIR/keys, where it is made at the first call."""
    pem = settings.EVIDENCE_SIGNING_KEY.replace("\\n", "\n").encode() or _kept()
    key = load_pem_private_key(pem, password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("the evidence key is no Ed25519 key")
    return key


def _kept() -> bytes:
    path = Path(settings.DATA_DIR) / "keys" / NAME
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        own = path.with_name(f".{NAME}.{os.getpid()}")
        handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(made)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(own, path)  # the first process wins; a second one uses its key
        except FileExistsError:
            pass
        finally:
            own.unlink()
    return path.read_bytes()


def public_pem(key: Ed25519PublicKey | None = None) -> bytes:
    public = key or private_key().public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def key_id(key: Ed25519PublicKey) -> str:
    """SHA-256 of the raw public key, as `kernodeck verify` shows it."""
    return hashlib.sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()
