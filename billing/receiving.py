"""Where the next receiving address comes from: an account's public key, or the uploaded pool."""

from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import addresses, examples
from billing.addresses.bip32 import AccountKey
from billing.ledger import Customer
from billing.models import AddressKey, ReceivingAddress
from billing.networks import NETWORKS
from common.refusals import Refusal

EXAMPLE_POOL: Final = 200
FIRST_SHOWN: Final = 5


def available() -> dict[str, bool]:
    """For every network, whether an address can be given now."""
    keys = set(AddressKey.objects.filter(state=AddressKey.State.ACTIVE).values_list("network", flat=True))
    pools = set(ReceivingAddress.objects.filter(taken_at__isnull=True).values_list("network", flat=True).distinct())
    return {code: code in (keys if network.key else pools) for code, network in NETWORKS.items()}


def take(network: str) -> ReceivingAddress:
    """An address that was never given before, held by this transaction. Raises: Refusal `no_address`."""
    with transaction.atomic():
        return _derived(network) if NETWORKS[network].key else _pooled(network)


def add_to_pool(network: str, lines: Iterable[str], *, example: bool = False) -> int:
    """Add addresses to the pool of a network without keys; how many are new. All are checked before one is added."""
    if NETWORKS[network].key:
        raise Refusal("pool_not_used", _("Addresses of this network derive from its key."), status=422)
    checked: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            checked.append(addresses.check(network, line.strip()))
        except addresses.BadAddress:
            raise Refusal(
                "bad_address",
                _("Line %(line)s is not a valid address. Nothing was added.") % {"line": number},
                status=422,
                field="addresses",
                data={"line": number},
            ) from None
    before = ReceivingAddress.objects.filter(network=network).count()
    ReceivingAddress.objects.bulk_create(
        [ReceivingAddress(network=network, address=address, example=example) for address in checked],
        ignore_conflicts=True,
    )
    return ReceivingAddress.objects.filter(network=network).count() - before


def propose_key(network: str, public_key: str, *, by: Customer) -> AddressKey:
    """Put an account's public key forward. It gives no address until a second operator approved it."""
    key = _read(network, public_key)
    try:
        with transaction.atomic():
            return AddressKey.objects.create(
                network=network, public_key=public_key.strip(), fingerprint=key.fingerprint, proposed_by_id=by.pk
            )
    except IntegrityError:
        raise Refusal("key_known", _("This key was put forward before."), field="public_key") from None


def approve_key(key: AddressKey, *, by: Customer) -> AddressKey:
    """Put a proposed key into use in the place of the one before. Raises: Refusal `same_person`."""
    if key.proposed_by_id == by.pk:
        raise Refusal("same_person", _("Another operator must approve this key."), status=403)
    with transaction.atomic():
        in_use = AddressKey.objects.filter(network=key.network, state=AddressKey.State.ACTIVE)
        in_use.update(state=AddressKey.State.RETIRED)
        moved = AddressKey.objects.filter(pk=key.pk, state=AddressKey.State.PROPOSED).update(
            state=AddressKey.State.ACTIVE, approved_by_id=by.pk, approved_at=timezone.now()
        )
        if not moved:
            raise Refusal("not_proposed", _("This key does not wait for approval any more."))
    key.refresh_from_db()
    return key


def first_addresses(key: AddressKey) -> list[str]:
    """The addresses a key begins with, to compare with the wallet before it is approved."""
    account = _read(key.network, key.public_key)
    return [addresses.derive(key.network, account, index) for index in range(FIRST_SHOWN)]


def ensure_examples() -> None:
    """Give every network without an address source the EXAMPLE one. Never in production."""
    if settings.PRODUCTION:
        raise RuntimeError("example keys are for trials: put your own keys forward in production")
    for network, text in examples.EXAMPLE_KEYS.items():
        if not AddressKey.objects.filter(network=network, state=AddressKey.State.ACTIVE).exists():
            AddressKey.objects.get_or_create(
                public_key=text,
                defaults={
                    "network": network,
                    "fingerprint": _read(network, text).fingerprint,
                    "state": AddressKey.State.ACTIVE,
                    "example": True,
                },
            )
    for network in (code for code, spec in NETWORKS.items() if not spec.key):
        known = ReceivingAddress.objects.filter(network=network)
        free = known.filter(taken_at__isnull=True).count()
        if free < EXAMPLE_POOL // 2:
            first = known.filter(example=True).count()
            add_to_pool(network, examples.example_pool(network, first, EXAMPLE_POOL - free), example=True)


def _read(network: str, public_key: str) -> AccountKey:
    try:
        return addresses.account_key(network, public_key)
    except addresses.BadKey as why:
        raise Refusal("bad_key", str(why), status=422, field="public_key") from None


def _derived(network: str) -> ReceivingAddress:
    key = (
        AddressKey.objects.select_for_update(no_key=True).filter(network=network, state=AddressKey.State.ACTIVE).first()
    )
    if key is None:
        raise none_left(network)
    account, index = _read(network, key.public_key), key.next_index
    AddressKey.objects.filter(pk=key.pk).update(next_index=index + 1)
    return ReceivingAddress.objects.create(
        network=network,
        address=addresses.derive(network, account, index),
        key=key,
        index=index,
        example=key.example,
        taken_at=timezone.now(),
    )


def _pooled(network: str) -> ReceivingAddress:
    # Others skip the row held here instead of waiting for it; SQLite has one writer and needs no lock.
    row = (
        ReceivingAddress.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(network=network, taken_at__isnull=True)
        .order_by("id")
        .first()
    )
    if row is None:
        raise none_left(network)
    row.taken_at = timezone.now()
    row.save(update_fields=["taken_at"])
    return row


def none_left(network: str) -> Refusal:
    return Refusal(
        "no_address",
        _("%(network)s is off: no receiving address is free. Choose another network, or pay from your balance.")
        % {"network": NETWORKS[network].name},
        data={"network": network},
    )
