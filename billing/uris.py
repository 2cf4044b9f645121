"""Payment URIs as wallets read them: BIP21, EIP-681, Solana Pay, Monero; Tron has none, so its bare address."""

from urllib.parse import quote

from billing.networks import Asset, Network
from common.formats import coin


def payment_uri(network: Network, asset: Asset, address: str, units: int, label: str) -> str:
    """What the QR code and the "Open in a wallet" link carry.

    Args:
        address: checked, in the network's own writing.
        units: the amount in the asset's smallest units.
        label: shown by some wallets beside the payment; no secret.
    """
    amount, label = coin(units, asset.decimals), quote(label, safe="")
    if network.code in ("bitcoin", "litecoin"):
        return f"{network.code}:{address}?amount={amount}&label={label}"
    if network.code == "ethereum" and asset.contract:
        return f"ethereum:{asset.contract}@{network.chain_id}/transfer?address={address}&uint256={units}"
    if network.code == "ethereum":
        return f"ethereum:{address}@{network.chain_id}?value={units}"
    if network.code == "solana":
        return f"solana:{address}?amount={amount}&spl-token={asset.contract}&label={label}"
    if network.code == "monero":
        return f"monero:{address}?tx_amount={amount}&tx_description={label}"
    return address
