"""Access data at rest: sealed with rotating keys, the newest first."""

import os
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def seal(plain: str) -> bytes:
    return _box().encrypt(plain.encode())


def unseal(sealed: bytes) -> str:
    """The plain text; raises `cryptography.fernet.InvalidToken` when no key fits."""
    return _box().decrypt(bytes(sealed)).decode()


def reseal(sealed: bytes) -> bytes:
    """The same content under the newest key."""
    return _box().rotate(bytes(sealed))


def _box() -> MultiFernet:
    return _box_of(tuple(settings.SEALING_KEYS) or (_machine_key(),))


@lru_cache(maxsize=4)
def _box_of(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def _machine_key() -> str:
    """The embedded mode's own key: made once, readable by this user only. Production never comes here."""
    path = settings.DATA_DIR / "sealing.key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"sealing.key.{os.getpid()}-{os.urandom(4).hex()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(Fernet.generate_key().decode())
        try:
            os.link(fresh, path)  # of two processes that start together, one key wins whole
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
