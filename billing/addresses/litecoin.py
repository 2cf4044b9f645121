"""Litecoin: native witness addresses (BIP84) from a `zpub`, as Litecoin wallets export it."""

from typing import Final

from billing.addresses.segwit import check_family, check_hash, p2wpkh

KEY_VERSIONS: Final = frozenset({bytes.fromhex("04b24746")})  # zpub; Litecoin registered no version of its own


def encode(point: bytes) -> str:
    return p2wpkh("ltc", point)


def check(address: str) -> str:
    # 0x30: L…, 0x32: M…, 0x05: 3…, the older form of M.
    return check_family(address, "ltc", frozenset({0x30, 0x32, 0x05}))


check_transaction = check_hash
