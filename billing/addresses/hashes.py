"""The hashes of addresses."""

import hashlib

from Crypto.Hash import RIPEMD160
from eth_hash.auto import keccak as _keccak


def hash160(data: bytes) -> bytes:
    """RIPEMD-160 of SHA-256. OpenSSL 3 may lack RIPEMD-160, so it comes from pycryptodome."""
    return RIPEMD160.new(hashlib.sha256(data).digest()).digest()


def keccak(data: bytes) -> bytes:
    """Keccak-256 as Ethereum, Tron and Monero use it: not the later SHA3-256."""
    return bytes(_keccak(data))
