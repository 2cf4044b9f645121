"""Addresses of Bitcoin's family: BIP173 and BIP350 for witness programs, Base58Check for the older kinds."""

import re
from typing import Final

from base58_bech32.base58 import b58decode_check
from base58_bech32.bech32 import (
    BECH32_1_CONST,
    BECH32_M_CONST,
    bech32_decode,
    bech32_encode,
    convertbits,
)

from billing.addresses.errors import BadAddress
from billing.addresses.hashes import hash160

_TRANSACTION: Final = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


def p2wpkh(prefix: str, point: bytes) -> str:
    """The witness address, version 0, of a compressed public key."""
    return bech32_encode(prefix, [0, *convertbits(hash160(point), 8, 5)], m=BECH32_1_CONST, limit=90).decode()


def check_witness(prefix: str, address: str) -> str:
    """A witness address in lower case. Raises: BadAddress."""
    try:
        hrp, data, constant = bech32_decode(address, limit=90)
        version, program = data[0], convertbits(data[1:], 5, 8, False)
    except (ValueError, IndexError):
        raise BadAddress("the checksum of this address is wrong") from None
    wanted = BECH32_1_CONST if version == 0 else BECH32_M_CONST
    sizes = (20, 32) if version == 0 else range(2, 41)
    if hrp != prefix or version > 16 or constant != wanted or len(program) not in sizes:
        raise BadAddress("this is not an address of this network")
    return address.lower()


def check_family(address: str, prefix: str, versions: frozenset[int]) -> str:
    """A witness address with `prefix`, or a Base58Check address with one of `versions`. Raises: BadAddress."""
    if address.lower().startswith(f"{prefix}1"):
        return check_witness(prefix, address)
    try:
        raw = b58decode_check(address, out_size=21)
    except ValueError:
        raise BadAddress("the checksum of this address is wrong") from None
    if raw[0] not in versions:
        raise BadAddress("this is not an address of this network")
    return address


def check_hash(text: str) -> str:
    """A transaction id of 64 hexadecimal digits, in lower case. Raises: BadAddress."""
    if not _TRANSACTION.fullmatch(text):
        raise BadAddress("a transaction id here has 64 letters and digits")
    return text.lower()
