"""Receiving addresses: checked on every network, derived watch-only where a network's keys allow it.

Each network's file has `check(address)`, which returns the address as it is written down or raises `BadAddress`, and
`check_transaction(text)`, likewise for a transaction id. Networks with keys add `KEY_VERSIONS` and `encode(point)`.
"""

from types import ModuleType

from billing.addresses import bitcoin, ethereum, litecoin, monero, solana, tron
from billing.addresses.bip32 import AccountKey
from billing.addresses.errors import BadAddress, BadKey

CHAINS: dict[str, ModuleType] = {
    "bitcoin": bitcoin,
    "litecoin": litecoin,
    "ethereum": ethereum,
    "tron": tron,
    "solana": solana,
    "monero": monero,
}


def check(network: str, address: str) -> str:
    """The address as it is written down, its checksum verified. Raises: BadAddress."""
    return str(CHAINS[network].check(address))


def check_transaction(network: str, text: str) -> str:
    """A transaction id as the network writes it. Raises: BadAddress."""
    return str(CHAINS[network].check_transaction(text))


def account_key(network: str, public_key: str) -> AccountKey:
    """An account's public key for `network`. Raises: BadKey, for a private key above all."""
    versions = getattr(CHAINS[network], "KEY_VERSIONS", None)
    if versions is None:
        raise BadKey("addresses of this network come from an uploaded pool")
    return AccountKey.read(public_key, versions)


def derive(network: str, key: AccountKey, index: int) -> str:
    """The address number `index` of the account's receiving branch (`0/index`)."""
    return str(CHAINS[network].encode(key.child(0).child(index).point))


__all__ = ["BadAddress", "BadKey", "account_key", "check", "check_transaction", "derive"]
