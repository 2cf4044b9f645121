"""Tron: Base58Check addresses from an account's `xpub`."""

from typing import Final

from base58_bech32.base58 import b58decode_check, b58encode_check

from billing.addresses.errors import BadAddress
from billing.addresses.ethereum import account_bytes
from billing.addresses.segwit import check_hash

KEY_VERSIONS: Final = frozenset({bytes.fromhex("0488b21e")})  # xpub
_VERSION: Final = 0x41


def encode(point: bytes) -> str:
    return b58encode_check(bytes([_VERSION]) + account_bytes(point)).decode()


def check(address: str) -> str:
    try:
        raw = b58decode_check(address, out_size=21)
    except ValueError:
        raise BadAddress("the checksum of this address is wrong") from None
    if raw[0] != _VERSION:
        raise BadAddress("this is not an address of this network")
    return address


def check_transaction(text: str) -> str:
    return check_hash(text.removeprefix("0x"))
