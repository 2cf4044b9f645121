"""The networks and the assets on them: decimals, contract, confirmations wanted, digits a person types."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Asset:
    """An asset on one network.

    Attributes:
        decimals: digits of the smallest unit after the point of a whole coin.
        typed: digits after the point that a person is asked to type; one step is worth about a cent or less.
        contract: the token's contract, or mint on Solana; empty for the network's own coin.
    """

    code: str
    name: str
    decimals: int
    typed: int
    contract: str = ""


@dataclass(frozen=True)
class Network:
    """A network and what it takes to believe it.

    Attributes:
        confirmations: blocks wanted before a receipt is confirmed.
        key: whether addresses derive from an account's public key; else they come from an uploaded pool.
        chain_id: EIP-155's number, in the URI of EVM networks.
        transaction_hint: how a transaction id looks here, said at its field.
    """

    code: str
    name: str
    assets: tuple[Asset, ...]
    confirmations: int
    key: bool
    transaction_hint: "str | Promise"
    chain_id: int = 0

    def asset(self, code: str) -> Asset:
        """The asset `code` on this network; KeyError when it is not there."""
        for asset in self.assets:
            if asset.code == code:
                return asset
        raise KeyError(code)


_HEX = _("64 letters and digits, from your wallet's history.")
_NETWORKS = (
    Network("bitcoin", "Bitcoin", (Asset("BTC", "Bitcoin", 8, 7),), 2, True, _HEX),
    Network("litecoin", "Litecoin", (Asset("LTC", "Litecoin", 8, 4),), 6, True, _HEX),
    Network(
        "ethereum",
        "Ethereum",
        (
            Asset("ETH", "Ether", 18, 6),
            Asset("USDC", "USD Coin", 6, 2, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
            Asset("USDT", "Tether USD", 6, 2, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
        ),
        12,
        True,
        _("0x and 64 letters and digits, from your wallet's history."),
        chain_id=1,
    ),
    Network("tron", "Tron", (Asset("USDT", "Tether USD", 6, 2, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),), 20, True, _HEX),
    Network(
        "solana",
        "Solana",
        (Asset("USDC", "USD Coin", 6, 2, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),),
        32,
        False,
        _("86 to 88 letters and digits, called the signature, from your wallet's history."),
    ),
    Network("monero", "Monero", (Asset("XMR", "Monero", 12, 5),), 10, False, _HEX),
)
NETWORKS: Final[dict[str, Network]] = {network.code: network for network in _NETWORKS}
ASSETS: Final[tuple[str, ...]] = ("BTC", "LTC", "ETH", "USDC", "USDT", "XMR")
NETWORK_CHOICES: Final = tuple((network.code, network.name) for network in _NETWORKS)
ASSET_CHOICES: Final = tuple((code, code) for code in ASSETS)
