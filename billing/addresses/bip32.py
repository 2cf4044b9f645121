"""Public derivation after BIP32: children of an account's public key, and nothing that could spend."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from base58_bech32.base58 import b58decode_check
from coincurve import PublicKey

from billing.addresses.errors import BadKey
from billing.addresses.hashes import hash160

HARDENED: Final = 1 << 31
# The versions of BIP32 and SLIP-132 that hold a private key, for the networks of this house.
PRIVATE: Final = {
    bytes.fromhex(version)
    for version in ("0488ade4", "049d7878", "04b2430c", "0295b005", "02aa7a99", "019d9cfe", "01b26792", "04358394")
}


@dataclass(frozen=True)
class AccountKey:
    """An extended public key: a compressed point of secp256k1 and its chain code."""

    depth: int
    point: bytes
    chain_code: bytes

    @classmethod
    def read(cls, text: str, versions: frozenset[bytes]) -> "AccountKey":
        """Read an account's key written with one of `versions`. Raises: BadKey."""
        text = text.strip()
        try:
            raw = b58decode_check(text)
        except ValueError:
            raise BadKey("this is not an extended public key, or it was mistyped") from None
        if len(raw) != 78:
            raise BadKey("an extended public key has 78 bytes")
        if raw[:4] in PRIVATE or raw[45] == 0:
            raise BadKey("this is a private key: never give it to anyone; export the account's public key instead")
        if raw[:4] not in versions:
            raise BadKey("this public key was made for another network or kind of address")
        if raw[4] != 3 or int.from_bytes(raw[9:13], "big") < HARDENED:
            raise BadKey("give the public key of an account (three levels deep, hardened)")
        point = raw[45:78]
        try:
            PublicKey(point)
        except ValueError:
            raise BadKey("this key is not a point of the curve") from None
        return cls(raw[4], point, raw[13:45])

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits to compare with the wallet's."""
        return hash160(self.point)[:4].hex()

    def child(self, index: int) -> "AccountKey":
        """The child number `index`, not hardened: a public key has no other."""
        if not 0 <= index < HARDENED:
            raise BadKey("an index is between 0 and 2147483647")
        digest = hmac.new(self.chain_code, self.point + index.to_bytes(4, "big"), hashlib.sha512).digest()
        # The chance that this sum is no point is below 2**-127; coincurve raises then, and no address is made.
        point: bytes = PublicKey(self.point).add(digest[:32]).format(compressed=True)
        return AccountKey(self.depth + 1, point, digest[32:])
