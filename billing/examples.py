"""EXAMPLE keys, addresses and rates for trials of this site. NEVER SEND MONEY TO THEM: their secrets are public.

The keys are the account public keys of the best-known test words ("abandon" eleven times, then "about"); the pools
are points made from the text `kernodeck example N`. Production refuses to start while any of them is in use.
"""

import hashlib
from typing import Final

from base58_bech32.base58 import b58encode
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from billing.addresses import monero

EXAMPLE_KEYS: Final[dict[str, str]] = {
    # m/84'/0'/0', BIP84's own test vector
    "bitcoin": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",  # noqa: E501
    # m/84'/2'/0'
    "litecoin": "zpub6rPo5mF47z5coVm5rvWv7fv181awb7Vckn5Cf3xQXBVKu18kuBHDhNi1Jrb4br6vVD3ZbrnXemEsWJoR18mZwkUdzwD8TQnHDUCGxqZ6swA",  # noqa: E501
    # m/44'/60'/0'
    "ethereum": "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",  # noqa: E501
    # m/44'/195'/0'
    "tron": "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",  # noqa: E501
}

# Micro-USD for one coin: made up, plainly round, to be set by the operator.
EXAMPLE_RATES: Final[dict[str, int]] = {
    "BTC": 90_000_000_000,
    "LTC": 80_000_000,
    "ETH": 3_000_000_000,
    "USDC": 1_000_000,
    "USDT": 1_000_000,
    "XMR": 300_000_000,
}


def _point(text: str) -> bytes:
    seed = hashlib.sha256(f"kernodeck example {text}".encode()).digest()
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def example_pool(network: str, first: int, count: int) -> list[str]:
    """Well-formed addresses number `first` and on of a network whose addresses come from a pool."""
    numbers = range(first, first + count)
    if network == "solana":
        return [b58encode(_point(f"solana {n}")).decode() for n in numbers]
    return [
        monero.encode_keys(monero.SUBADDRESS, _point(f"monero spend {n}"), _point(f"monero view {n}")) for n in numbers
    ]
