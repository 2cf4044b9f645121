"""Bitcoin: native witness addresses (BIP84) from a `zpub`."""

from typing import Final

from billing.addresses.segwit import check_family, check_hash, p2wpkh

KEY_VERSIONS: Final = frozenset({bytes.fromhex("04b24746")})  # zpub


def encode(point: bytes) -> str:
    return p2wpkh("bc", point)


def check(address: str) -> str:
    return check_family(address, "bc", frozenset({0x00, 0x05}))


check_transaction = check_hash
