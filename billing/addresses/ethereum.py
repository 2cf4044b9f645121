"""Ethereum: addresses with EIP-55's checksum from an account's `xpub`."""

import re
from typing import Final

from coincurve import PublicKey

from billing.addresses.errors import BadAddress
from billing.addresses.hashes import keccak

KEY_VERSIONS: Final = frozenset({bytes.fromhex("0488b21e")})  # xpub
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_TRANSACTION: Final = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)


def account_bytes(point: bytes) -> bytes:
    """The twenty bytes of an account: the end of the hash of its uncompressed point."""
    return keccak(PublicKey(point).format(compressed=False)[1:])[-20:]


def checksummed(raw: bytes) -> str:
    """EIP-55: a letter is a capital where the hash of the address has a digit of 8 or more."""
    plain = raw.hex()
    marks = keccak(plain.encode()).hex()
    return "0x" + "".join(c.upper() if int(mark, 16) >= 8 else c for c, mark in zip(plain, marks, strict=False))


def encode(point: bytes) -> str:
    return checksummed(account_bytes(point))


def check(address: str) -> str:
    """With its checksum; written all in one case it carries none and is refused."""
    if not _ADDRESS.fullmatch(address):
        raise BadAddress("an address here is 0x and 40 letters and digits")
    written = checksummed(bytes.fromhex(address[2:]))
    if address != written:
        raise BadAddress("the checksum of this address is wrong or missing: copy it with its capital letters")
    return written


def check_transaction(text: str) -> str:
    if not _TRANSACTION.fullmatch(text):
        raise BadAddress("a transaction id here is 0x and 64 letters and digits")
    return text.lower()
