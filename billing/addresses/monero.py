"""Monero: subaddresses come from an uploaded pool; the view key stays in the operator's wallet."""

from typing import Final

from base58_bech32.base58 import BITCOIN_ALPHABET

from billing.addresses.curve25519 import is_point
from billing.addresses.errors import BadAddress
from billing.addresses.hashes import keccak
from billing.addresses.segwit import check_hash

STANDARD, INTEGRATED, SUBADDRESS = 18, 19, 42
_ALPHABET: Final = BITCOIN_ALPHABET.decode()
# Monero encodes blocks of 8 bytes as 11 letters; a shorter last block as so many letters.
_LETTERS: Final = {1: 2, 2: 3, 3: 5, 4: 6, 5: 7, 6: 9, 7: 10, 8: 11}
_BYTES: Final = {letters: size for size, letters in _LETTERS.items()}


def check(address: str) -> str:
    raw = _decode(address)
    if keccak(raw[:-4])[:4] != raw[-4:]:
        raise BadAddress("the checksum of this address is wrong")
    if raw[0] not in (STANDARD, INTEGRATED, SUBADDRESS) or len(raw) != (77 if raw[0] == INTEGRATED else 69):
        raise BadAddress("this is not an address of this network")
    if not (is_point(raw[1:33]) and is_point(raw[33:65])):
        raise BadAddress("the keys in this address are no points of the curve")
    return address


def encode_keys(version: int, spend: bytes, view: bytes) -> str:
    """The address of two public keys."""
    body = bytes([version]) + spend + view
    raw = body + keccak(body)[:4]
    return "".join(_encode_block(raw[at : at + 8]) for at in range(0, len(raw), 8))


def _encode_block(block: bytes) -> str:
    number, letters = int.from_bytes(block, "big"), ""
    for _ in range(_LETTERS[len(block)]):
        number, digit = divmod(number, 58)
        letters = _ALPHABET[digit] + letters
    return letters


def _decode(address: str) -> bytes:
    if len(address) not in (95, 106):
        raise BadAddress("an address here has 95 letters and digits")
    raw = b""
    for at in range(0, len(address), 11):
        block, number = address[at : at + 11], 0
        for letter in block:
            digit = _ALPHABET.find(letter)
            if digit < 0:
                raise BadAddress("this is not an address of this network")
            number = number * 58 + digit
        size = _BYTES.get(len(block), 0)
        if size == 0 or number >= 1 << (8 * size):
            raise BadAddress("this is not an address of this network")
        raw += number.to_bytes(size, "big")
    return raw


check_transaction = check_hash
