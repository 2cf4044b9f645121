"""Whether 32 bytes are a point of edwards25519 (RFC 8032): Solana's and Monero's public keys are."""

from typing import Final

_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P


def is_point(raw: bytes) -> bool:
    """Decompression after RFC 8032, 5.1.3, as far as it can fail. Only public values: timing tells nothing."""
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if len(raw) != 32 or y >= _P:
        return False
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    square = u * pow(v, -1, _P) % _P
    # Euler's criterion: a square root x exists; and zero has no negative.
    return pow(square, (_P - 1) // 2, _P) in (0, 1) and not (square == 0 and sign)
