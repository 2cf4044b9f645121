"""Public keys of the customer: kinds, lengths, and the private one that somebody pastes by mistake."""

import contextlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.utils import CryptographyDeprecationWarning
from hypothesis import given
from hypothesis import strategies as st

from common.refusals import Refusal
from rental.accounts import ssh_keys
from rental.models import SshKey, User
from tests.rental.pages import signed_in, text_of

# OpenSSH's own example of a fingerprint: `ssh-keygen -lf` prints this for the key.
LINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
PRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"  # GitHub publishes this pair


def public(key: Any) -> str:
    return str(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode())


def code_of(text: str) -> str:
    with pytest.raises(Refusal) as refusal:
        ssh_keys.read(text)
    assert refusal.value.field == "key"
    return refusal.value.code


def test_the_fingerprint_is_openssh_s() -> None:
    found = ssh_keys.read(f"{LINE} git@github.com\n")
    assert (found.kind, found.line, found.fingerprint, found.comment) == (
        "ssh-ed25519", LINE, PRINT, "git@github.com",
    )  # fmt: skip


def test_good_kinds() -> None:
    for key in (ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1()),
                ec.generate_private_key(ec.SECP521R1()), rsa.generate_private_key(65537, 3072)):  # fmt: skip
        assert ssh_keys.read(public(key)).line == public(key)


def test_weak_and_old_kinds_are_refused() -> None:
    assert code_of(public(rsa.generate_private_key(65537, 2048))) == "weak_key"
    with pytest.warns(CryptographyDeprecationWarning):
        old = public(dsa.generate_private_key(1024))  # noqa: S505 - the kind that is refused
    assert code_of(old) == "unknown_kind"


def test_a_private_key_is_named_and_nowhere_kept(customer: User) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
    assert code_of(private) == "private_key"
    assert code_of("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none") == "private_key"
    answer = signed_in(customer).post("/account/keys/", {"key": private, "label": "laptop"})
    assert answer.status_code == 409
    assert "This is a private key" in text_of(answer)
    assert private.splitlines()[2] not in answer.content.decode()
    assert 'value="laptop"' in answer.content.decode()
    assert not SshKey.objects.exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_key"),
        ("hello", "no_key"),
        ("ssh-ed25519 AAAA", "no_key"),
        (LINE[:-8], "no_key"),
        (LINE.replace("ssh-ed25519", "ssh-rsa"), "no_key"),
        (f"{LINE}\n{LINE}", "several_keys"),
        (f'command="rm -rf /" {LINE}', "key_options"),
        (f"no-pty,{LINE}", "key_options"),
    ],
)
def test_what_is_no_key(text: str, code: str) -> None:
    assert code_of(text) == code


@given(st.text())
def test_any_text_is_a_key_or_is_refused(text: str) -> None:
    with contextlib.suppress(Refusal):
        ssh_keys.read(text)


def test_a_page_of_keys(customer: User, stranger: User) -> None:
    client = signed_in(customer)
    for _twice in range(2):
        assert client.post("/account/keys/", {"key": f"{LINE} me@desk <b>"}).status_code == 302
    row = SshKey.objects.get()
    assert (row.label, row.fingerprint) == ("me@desk b", PRINT)
    assert PRINT in text_of(client.get("/account/keys/"))
    signed_in(stranger).post(f"/account/keys/{row.pk}/remove")
    assert ssh_keys.of(customer) == [row]
    client.post(f"/account/keys/{row.pk}/remove")
    assert ssh_keys.of(customer) == []
    assert ssh_keys.add(customer, text=LINE, label="").pk != row.pk
