"""Solana: addresses come from an uploaded pool, since ed25519 keys derive no public children.

An address here carries no checksum of its own; that it is a point of the curve catches one mistyped address in two,
and refuses token accounts, which are no wallet's address.
"""

from base58_bech32.base58 import b58decode

from billing.addresses.curve25519 import is_point
from billing.addresses.errors import BadAddress


def check(address: str) -> str:
    try:
        raw = b58decode(address, max_length=44)
    except ValueError:
        raise BadAddress("this is not an address of this network") from None
    if not is_point(raw):
        raise BadAddress("this is not a wallet's address of this network")
    return address


def check_transaction(text: str) -> str:
    try:
        raw = b58decode(text, max_length=88)
    except ValueError:
        raw = b""
    if len(raw) != 64:
        raise BadAddress("a transaction id here is a signature of 86 to 88 letters and digits")
    return text
