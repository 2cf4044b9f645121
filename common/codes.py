"""Public references: hard to guess, easy to read aloud."""

import secrets

# Crockford's base 32 without I, L, O and U: no letter is mistaken for a figure.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def reference() -> str:
    """A 128-bit reference for URLs, 26 characters."""
    return "".join(secrets.choice(ALPHABET) for _ in range(26))


def readable(groups: int = 2, size: int = 4) -> str:
    """A short code to be read by people, e.g. `7Q4M-2X9F`; not a secret, guarded by its owner."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(size)) for _ in range(groups))
