"""Addresses of every network against public vectors, and what must be refused."""

import hashlib

import pytest

from billing import addresses, examples
from billing.addresses import AccountKey, BadAddress, BadKey, curve25519, ethereum, monero, segwit
from billing.networks import NETWORKS

# BIP84's test vectors, from "abandon … about".
BIP84 = [
    "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
    "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
]
# The same words in the wallets of the other networks, first receiving address.
FIRST = {
    "bitcoin": BIP84[0],
    "litecoin": "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
    "ethereum": "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    "tron": "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
}
# BIP173 and BIP350: address, then the witness version and program.
WITNESS = {
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4": (0, "751e76e8199196d454941c45d1b3a323f1433bd6"),
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0": (
        1,
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    ),
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y": (
        1,
        "751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6",
    ),
    "BC1SW50QGDZ25J": (16, "751e"),
    "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs": (2, "751e76e8199196d454941c45d1b3a323"),
}
# BIP350's invalid addresses, and some of BIP173's.
BROKEN_WITNESS = [
    "tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
    "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
    "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
    "bc1pw5dgrnzv",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
    "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
    "bc1gmk9yu",
    "BC1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
    "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
]
# EIP-55's own examples.
EIP55 = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]
GOOD = {
    "bitcoin": ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3P14159f73E4gFr7JterCCQh9QjiTjiZrG", *BIP84],
    "litecoin": ["LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"],
    "ethereum": EIP55,
    "tron": ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"],
    "solana": ["7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"],
    "monero": [
        # the donation addresses that Monero's project and its general fund publish
        "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
        "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H",
    ],
}


@pytest.mark.parametrize("index", [0, 1])
def test_bitcoin_derives_bip84s_addresses(index: int) -> None:
    key = addresses.account_key("bitcoin", examples.EXAMPLE_KEYS["bitcoin"])
    assert addresses.derive("bitcoin", key, index) == BIP84[index]


@pytest.mark.parametrize("network", FIRST)
def test_every_derived_network_gives_the_wallets_first_address(network: str) -> None:
    key = addresses.account_key(network, examples.EXAMPLE_KEYS[network])
    assert addresses.derive(network, key, 0) == FIRST[network]
    assert len({addresses.derive(network, key, index) for index in range(50)}) == 50


@pytest.mark.parametrize("address", WITNESS)
def test_witness_addresses_of_bip173_and_bip350(address: str) -> None:
    assert segwit.check_witness("bc", address) == address.lower()


@pytest.mark.parametrize("address", BROKEN_WITNESS)
def test_broken_witness_addresses(address: str) -> None:
    with pytest.raises(BadAddress):
        addresses.check("bitcoin", address)


def test_public_derivation_follows_bip32s_second_vector() -> None:
    """BIP32, test vector 2: the master's public key and its child 0."""
    from base58_bech32.base58 import b58decode_check

    def read(text: str) -> AccountKey:
        raw = b58decode_check(text)
        return AccountKey(raw[4], raw[45:78], raw[13:45])

    master = read(
        "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB"
    )
    child = read(
        "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH"
    )
    assert master.child(0) == child


@pytest.mark.parametrize(("network", "address"), [(n, a) for n, found in GOOD.items() for a in found])
def test_good_addresses(network: str, address: str) -> None:
    assert addresses.check(network, address) == address


@pytest.mark.parametrize(
    ("network", "address"), [(n, a) for n, found in GOOD.items() for a in found if n not in ("solana", "ethereum")]
)
def test_one_wrong_letter_is_noticed(network: str, address: str) -> None:
    for at in range(len(address) - 8, len(address)):
        swapped = address[:at] + ("2" if address[at] != "2" else "3") + address[at + 1 :]
        with pytest.raises(BadAddress):
            addresses.check(network, swapped)


def test_an_address_of_one_network_is_none_of_another() -> None:
    shared = {("bitcoin", "litecoin")}  # both write script addresses with version 5: 3…
    for network, found in GOOD.items():
        for other in NETWORKS:
            for address in found:
                if other == network or ((network, other) in shared and address.startswith("3")):
                    continue
                with pytest.raises(BadAddress):
                    addresses.check(other, address)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("address", ["", " ", "x", "0x", "é" * 40, "1" * 200, "\0", "bc1", "0" * 95, "l" * 44])
def test_nonsense_is_refused(network: str, address: str) -> None:
    with pytest.raises(BadAddress):
        addresses.check(network, address)


def test_an_evm_letter_in_the_other_case_is_noticed() -> None:
    for address in EIP55:
        for at in (at for at, letter in enumerate(address) if at > 1 and letter.isalpha()):
            with pytest.raises(BadAddress):
                addresses.check("ethereum", address[:at] + address[at].swapcase() + address[at + 1 :])


def test_an_evm_address_without_its_capitals_is_refused() -> None:
    with pytest.raises(BadAddress):
        addresses.check("ethereum", EIP55[4].lower())
    with pytest.raises(BadAddress):
        addresses.check("ethereum", EIP55[4].replace("0x", "0X"))


@pytest.mark.parametrize("network", [n for n, spec in NETWORKS.items() if spec.key])
def test_a_private_key_is_refused(network: str) -> None:
    """BIP84's account private key, and BIP32's first master key."""
    for key in (
        "zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE",
        "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    ):
        with pytest.raises(BadKey, match="private key"):
            addresses.account_key(network, key)


def test_keys_of_the_wrong_kind_are_refused() -> None:
    for network, key in (
        ("bitcoin", examples.EXAMPLE_KEYS["ethereum"]),  # an xpub where a zpub is wanted
        ("ethereum", examples.EXAMPLE_KEYS["bitcoin"]),
        # BIP32's master key: not an account
        (
            "tron",
            "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
        ),
        ("bitcoin", examples.EXAMPLE_KEYS["bitcoin"][:-1] + "a"),
        ("bitcoin", ""),
        ("bitcoin", "zpub"),
        ("monero", examples.EXAMPLE_KEYS["bitcoin"]),
    ):
        with pytest.raises(BadKey):
            addresses.account_key(network, key)


@pytest.mark.parametrize("network", ["solana", "monero"])
def test_example_pools_are_well_formed_and_always_the_same(network: str) -> None:
    pool = examples.example_pool(network, 0, 20)
    assert pool == examples.example_pool(network, 0, 20)
    assert len(set(pool)) == 20
    assert [addresses.check(network, address) for address in pool] == pool
    assert examples.example_pool(network, 5, 1) == [pool[5]]


def test_a_token_account_is_no_address_on_solana() -> None:
    """An account off the curve belongs to a program: USDC's own mint is a key, this associated account is not."""
    off_curve = next(
        seed for seed in (hashlib.sha256(bytes([n])).digest() for n in range(20)) if not curve25519.is_point(seed)
    )
    from base58_bech32.base58 import b58encode

    with pytest.raises(BadAddress):
        addresses.check("solana", b58encode(off_curve).decode())


def test_points_of_rfc8032() -> None:
    """Public keys of RFC 8032, 7.1, are points; values the field does not have are none."""
    for key in (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    ):
        assert curve25519.is_point(bytes.fromhex(key))
    assert not curve25519.is_point(b"\xff" * 32)
    assert not curve25519.is_point(b"\x01" + b"\0" * 30 + b"\x80")  # x = 0 has no negative
    assert not curve25519.is_point(b"\0" * 31)


def test_token_contracts_are_valid_addresses_of_their_network() -> None:
    for network in NETWORKS.values():
        for asset in network.assets:
            if asset.contract and network.code != "solana":
                assert addresses.check(network.code, asset.contract) == asset.contract


@pytest.mark.parametrize(
    ("network", "text", "kept"),
    [
        ("bitcoin", "AB" * 32, "ab" * 32),
        ("tron", "0x" + "ab" * 32, "ab" * 32),
        ("ethereum", "0x" + "AB" * 32, "0x" + "ab" * 32),
        ("monero", "12" * 32, "12" * 32),
        (
            "solana",
            "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
            "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
        ),
    ],
)
def test_transaction_ids(network: str, text: str, kept: str) -> None:
    assert addresses.check_transaction(network, text) == kept
    for broken in (text[:-3], text + "0", text[:-1] + "!", text[:-1] + "é", "", "٠" * 64):
        with pytest.raises(BadAddress):
            addresses.check_transaction(network, broken)


def test_monero_blocks_that_overflow_are_refused() -> None:
    address = GOOD["monero"][0]
    with pytest.raises(BadAddress):
        monero.check("z" * 11 + address[11:])


def test_eip55_is_written_as_its_text_says() -> None:
    for address in EIP55:
        assert ethereum.checksummed(bytes.fromhex(address[2:])) == address
