"""Asking for money and hearing that it was sent; what arrives is in `receipts`.

The request's deadline, the customer's notice, the receipts and the ledger are facts apart: none stands for another.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import IntegrityError
from django.db.models import QuerySet
from django.db.transaction import atomic
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import addresses, rates, receiving
from billing.amounts import due_units
from billing.ledger import Customer
from billing.models import PaidNotice, PaymentRequest, PaymentRequestMove
from billing.networks import NETWORKS, Asset
from billing.receipts import confirm, record_receipt, replace
from common.refusals import Refusal

__all__ = ["ask", "close", "confirm", "note_paid", "record_receipt", "replace", "requests_for"]

# Addresses without a receipt that one customer may hold: a wallet stops looking after a gap of unused addresses.
MOST_UNUSED: Final = 20
State = PaymentRequest.State


def ask(
    customer: Customer,
    *,
    reference: str,
    amount_cents: int,
    network: str,
    asset: str,
    until: datetime | None = None,
) -> PaymentRequest:
    """What to send for `reference`; the same request again while it is open and before its deadline.

    Args:
        reference: the order's code.
        amount_cents: USD cents wanted, > 0.
        until: the deadline; PAYMENT_MINUTES from now if not given.

    Raises: Refusal `unknown_network`, `unknown_asset`, `rate_missing`, `rate_stale`, `no_address`,
        `too_many_requests`, `deadline_passed`.
    """
    what, now = _asset(network, asset), timezone.now()
    until = until or now + timedelta(minutes=settings.PAYMENT_MINUTES)
    if until <= now:
        raise Refusal("deadline_passed", _("The time to pay this order is over. Place a new order."))
    known = PaymentRequest.objects.filter(
        customer_id=customer.pk, reference=reference, network=network, asset=asset, state=State.OPEN
    )
    usable = known.filter(amount_cents=amount_cents, expires_at__gt=now).select_related("address", "rate")
    found = usable.first()
    if found is not None:
        return found
    rate = rates.current(asset, now)
    _refuse_hoarding(customer)
    try:
        with atomic():
            # Looked at once, under lock: what another click commits after this is met by the unique index.
            for old in known.select_for_update(no_key=True):
                if old.amount_cents == amount_cents and old.expires_at > now:
                    return old
                _close(old, "asked_again")
            return PaymentRequest.objects.create(
                customer_id=customer.pk,
                reference=reference,
                network=network,
                asset=asset,
                amount_cents=amount_cents,
                due_units=due_units(amount_cents, rate.micro_usd, what.decimals, what.typed),
                rate=rate,
                created_at=now,
                expires_at=until,
                address=receiving.take(network),
            )
    except IntegrityError:
        # Asked twice at the same moment: the first one's request serves both, and its address only.
        found = usable.first()
        if found is None:
            raise
        return found


def note_paid(request: PaymentRequest, transaction: str | None = None) -> PaidNotice:
    """Note the customer's word once, with a transaction id if one is claimed. It moves nothing.

    Raises: Refusal `bad_transaction`, `transaction_claimed`, `transaction_noted`.
    """
    claim = _claim(request.network, transaction)
    now = timezone.now()
    try:
        with atomic():
            notice, _made = PaidNotice.objects.get_or_create(
                request=request, defaults={"network": request.network, "noted_at": now}
            )
            if claim and notice.transaction != claim:
                _add_claim(notice, claim, now)
    except IntegrityError:
        raise Refusal(
            "transaction_claimed",
            _("This transaction id was already given for another order. Check it in your wallet's history."),
            field="transaction",
        ) from None
    return notice


def close(reference: str, code: str = "settled") -> None:
    """Ask no more for `reference`. Its addresses stay watched: what still arrives is credited."""
    with atomic():
        for request in PaymentRequest.objects.select_for_update(no_key=True).filter(
            reference=reference, state=State.OPEN
        ):
            _close(request, code)


def requests_for(reference: str) -> QuerySet[PaymentRequest]:
    """The requests made for an order, newest first."""
    return (
        PaymentRequest.objects.filter(reference=reference)
        .select_related("address", "rate", "customer")
        .order_by("-created_at")
    )


def _asset(network: str, asset: str) -> Asset:
    if network not in NETWORKS:
        raise Refusal("unknown_network", _("Choose one of the networks listed."), status=422, field="network")
    try:
        return NETWORKS[network].asset(asset)
    except KeyError:
        raise Refusal(
            "unknown_asset",
            _("%(network)s does not carry this asset here. Choose one listed under it.")
            % {"network": NETWORKS[network].name},
            status=422,
            field="asset",
        ) from None


def _refuse_hoarding(customer: Customer) -> None:
    unused = PaymentRequest.objects.filter(customer_id=customer.pk, receipts__isnull=True).exclude(state=State.COVERED)
    if unused.filter(created_at__gt=timezone.now() - timedelta(days=1)).count() >= MOST_UNUSED:
        raise Refusal(
            "too_many_requests",
            _("You asked for many addresses today. Use one you have, or wait until tomorrow."),
            status=429,
        )


def _claim(network: str, text: str | None) -> str | None:
    text = (text or "").strip()
    if not text:
        return None
    try:
        return addresses.check_transaction(network, text)
    except addresses.BadAddress:
        raise Refusal(
            "bad_transaction",
            _("This is not a transaction id of %(network)s. Copy it whole from your wallet's history.")
            % {"network": NETWORKS[network].name},
            status=422,
            field="transaction",
        ) from None


def _add_claim(notice: PaidNotice, claim: str, now: datetime) -> None:
    added = PaidNotice.objects.filter(pk=notice.pk, transaction__isnull=True).update(
        transaction=claim, transaction_at=now
    )
    notice.refresh_from_db()
    if not added and notice.transaction != claim:
        raise Refusal(
            "transaction_noted",
            _("Your notice already names a transaction id. It stays as you told it first."),
            field="transaction",
        )


def _close(request: PaymentRequest, code: str) -> None:
    if PaymentRequest.objects.filter(pk=request.pk, state=State.OPEN).update(state=State.CLOSED):
        PaymentRequestMove.objects.create(request=request, old=State.OPEN, new=State.CLOSED, code=code)
