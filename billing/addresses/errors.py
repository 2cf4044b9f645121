"""What is wrong with an address or a key."""


class BadAddress(ValueError):
    """Not an address (or transaction id) of this network: wrong letters, length or checksum."""


class BadKey(ValueError):
    """Not an account's public key for this network."""
