"""Money really seen, by an operator with evidence or by a watcher: one path, and credit before anything is paid."""

import functools
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Sum
from django.db.transaction import atomic, on_commit
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing import addresses, ledger, rates
from billing.amounts import credited_cents, value_cents
from billing.ledger import Customer
from billing.models import Journal, PaymentRequest, PaymentRequestMove, Rate, Receipt, ReceiptMove
from billing.networks import NETWORKS, Asset
from billing.signals import balance_credited
from common.refusals import Refusal

State = Receipt.State
Problem = Receipt.Problem


def record_receipt(
    *,
    network: str,
    transaction: str,
    output: int,
    address: str,
    amount: int,
    evidence: str,
    confirmed: bool,
    by: Customer | None,
    asset: str | None = None,
    at: datetime | None = None,
) -> Receipt:
    """Record money seen at an address, and credit it once it is confirmed. Repeating it changes nothing.

    Args:
        transaction, output: its place on the network (output number or log index).
        amount: the coin's smallest units, > 0.
        evidence: what shows it, e.g. the explorer's page or the block; an operator always gives it.
        confirmed: whether the network's confirmations are reached.
        by: the operator; None for a watcher.
        asset: what arrived; the request's own asset if not given.
        at: when the network showed it; now if not given.

    Raises: Refusal `unknown_network`, `bad_transaction`, `bad_address`, `bad_amount`, `evidence_missing`,
        `asset_needed`, `receipt_differs`, and `rate_missing` or `rate_stale` for late money.
    """
    facts = _checked(network, transaction, output, address, amount, evidence)
    return _record(facts, asset, confirmed, by, at or timezone.now())


def confirm(receipt: Receipt, *, by: Customer | None, evidence: str) -> Receipt:
    """Confirm a receipt that was seen. Above TWO_PERSON_CENTS a first operator vouches, another confirms."""
    return record_receipt(
        network=receipt.network,
        transaction=receipt.transaction,
        output=receipt.output,
        address=receipt.address,
        amount=receipt.units,
        evidence=evidence,
        confirmed=True,
        by=by,
        asset=receipt.asset,
        at=receipt.seen_at,
    )


def asset_at(network: str, address: str, asset: str | None = None) -> Asset:
    """The asset a receipt at `address` is counted in, to read its amount. Raises: the refusals of `record_receipt`."""
    if network not in NETWORKS:
        raise Refusal("unknown_network", _("Choose one of the networks listed."), status=422, field="network")
    request = PaymentRequest.objects.filter(network=network, address__address=_address(network, address)).first()
    return _asset(network, request, asset)


def replace(receipt: Receipt, *, by: Customer | None, evidence: str) -> Receipt:
    """The network dropped this transaction: a reorganisation or a fee bump. Raises: Refusal `receipt_confirmed`."""
    with atomic():
        moved = Receipt.objects.filter(pk=receipt.pk, state=State.SEEN).update(
            state=State.REPLACED, vouched_by=None, vouched_at=None
        )
        receipt.refresh_from_db()
        if moved:
            _note(receipt, State.SEEN, State.REPLACED, by, "replaced", evidence)
        elif receipt.state == State.CONFIRMED:
            raise Refusal(
                "receipt_confirmed", _("A confirmed receipt stays. Correct the balance by an adjustment instead.")
            )
    return receipt


def _address(network: str, address: str) -> str:
    try:
        return addresses.check(network, address.strip())
    except addresses.BadAddress:
        raise Refusal(
            "bad_address", _("This is not a valid address of this network."), status=422, field="address"
        ) from None


def _checked(network: str, transaction_id: str, output: int, address: str, amount: int, evidence: str) -> Receipt:
    """The facts, each in the network's own writing, as an unsaved row."""
    if network not in NETWORKS:
        raise Refusal("unknown_network", _("Choose one of the networks listed."), status=422, field="network")
    try:
        transaction_id = addresses.check_transaction(network, transaction_id.strip())
    except addresses.BadAddress:
        raise Refusal(
            "bad_transaction", _("This is not a transaction id of this network."), status=422, field="transaction"
        ) from None
    address = _address(network, address)
    if not 0 <= output < 2**63:
        raise Refusal("bad_output", _("Enter the output's number, from 0."), status=422, field="output")
    if not 0 < amount < 10**78:
        raise Refusal("bad_amount", _("Enter an amount above zero."), status=422, field="amount")
    if not evidence.replace("\0", "").strip():
        raise Refusal(
            "evidence_missing",
            _("Say what shows this receipt, e.g. the explorer's page."),
            status=422,
            field="evidence",
        )
    return Receipt(
        network=network,
        transaction=transaction_id,
        output=output,
        address=address,
        units=amount,
        evidence=evidence.replace("\0", "").strip()[:1000],
    )


@atomic
def _record(facts: Receipt, asset: str | None, confirmed: bool, by: Customer | None, at: datetime) -> Receipt:
    # The request is locked first: all receipts of one request are credited one after the other.
    request = (
        PaymentRequest.objects.select_for_update(of=("self",), no_key=True)
        .select_related("rate")
        .filter(network=facts.network, address__address=facts.address)
        .first()
    )
    facts.asset = _asset(facts.network, request, asset).code
    facts.request = request
    facts.problem = (
        Problem.UNKNOWN_ADDRESS if request is None else Problem.WRONG_ASSET if facts.asset != request.asset else ""
    )
    if request is not None and not facts.problem:
        _refuse_absurd(facts.units, request)
    receipt = _once(facts, by, at)
    if receipt.state == State.REPLACED:
        Receipt.objects.filter(pk=receipt.pk, state=State.REPLACED).update(state=State.SEEN)
        receipt.state = State.SEEN
        _note(receipt, State.REPLACED, State.SEEN, by, "seen_again", facts.evidence)
    if confirmed and receipt.state == State.SEEN:
        _confirm(receipt, request, by, facts.evidence)
    return receipt


def _refuse_absurd(units: int, request: PaymentRequest) -> None:
    """A sum that no ledger takes is a slip of the keyboard: it is neither shown as held nor vouched for."""
    if credited_cents(units, request.due_units, request.amount_cents) >= ledger.LARGEST:
        raise Refusal("bad_amount", _("Enter the amount that arrived."), status=422, field="amount")


def _asset(network: str, request: PaymentRequest | None, asset: str | None) -> Asset:
    """What arrived: as said, else as asked for, else the only asset of the network."""
    assets = NETWORKS[network].assets
    code = asset or (request.asset if request else assets[0].code if len(assets) == 1 else "")
    if not code:
        raise Refusal(
            "asset_needed", _("No request was given this address: say which asset arrived."), status=422, field="asset"
        )
    try:
        return NETWORKS[network].asset(code)
    except KeyError:
        raise Refusal(
            "unknown_asset", _("This network does not carry this asset here."), status=422, field="asset"
        ) from None


def _once(facts: Receipt, by: Customer | None, at: datetime) -> Receipt:
    """The row for this place on the network, made now or known before. Raises: Refusal `receipt_differs`."""
    place = {"network": facts.network, "transaction": facts.transaction, "output": facts.output}
    facts.recorded_by_id = None if by is None else by.pk
    facts.seen_at = at
    try:
        with atomic():
            if not Receipt.objects.filter(**place).exists():
                facts.save(force_insert=True)
                _note(facts, "", State.SEEN, by, "seen", facts.evidence)
                return facts
    except IntegrityError:
        pass  # another recorded it at the same moment
    known = Receipt.objects.select_for_update(no_key=True).get(**place)
    if (known.address, known.units, known.asset) != (facts.address, facts.units, facts.asset):
        raise Refusal(
            "receipt_differs",
            _("This transaction and output were recorded with another address, asset or amount. Compare them."),
            data={"receipt": known.pk},
        )
    return known


def _confirm(receipt: Receipt, request: PaymentRequest | None, by: Customer | None, evidence: str) -> None:
    now = timezone.now()
    late = request is not None and receipt.seen_at > request.expires_at + timedelta(minutes=settings.LATE_GRACE_MINUTES)
    rate, cents = _worth(receipt, request, late, now)
    if request is not None and not receipt.problem and _wants_second(request, cents, by):
        if receipt.vouched_by_id is None:
            receipt.vouched_by_id, receipt.vouched_at = by.pk if by else None, now
            receipt.save(update_fields=["vouched_by", "vouched_at"])
            _note(receipt, State.SEEN, State.SEEN, by, "vouched", evidence)
        if by is not None and receipt.vouched_by_id == by.pk:
            return  # nothing is credited before another operator confirms
    journal = None
    if request is not None and cents:
        journal = ledger.credit(
            request.customer,
            cents,
            key=f"receipt:{receipt.pk}",
            reference=request.reference,
            network=receipt.network,
            asset=receipt.asset,
            by=by,
        )
    _settle(receipt, by, now, late, rate, cents, journal)
    _note(receipt, State.SEEN, State.CONFIRMED, by, "confirmed", evidence)
    if request is not None and journal is not None:
        _cover(request, by)
        send = functools.partial(
            balance_credited.send, sender=Receipt, customer_id=request.customer_id, reference=request.reference
        )
        on_commit(send, robust=True)  # the money is in; a reaction that fails is swept later


def _settle(
    receipt: Receipt,
    by: Customer | None,
    now: datetime,
    late: bool,
    rate: Rate | None,
    cents: int,
    journal: Journal | None,
) -> None:
    """Write the confirmation; the row is locked since `_once`."""
    receipt.state = State.CONFIRMED
    receipt.confirmed_by_id = None if by is None else by.pk
    receipt.confirmed_at = now
    receipt.late = late
    receipt.rate = rate
    receipt.credited_cents = cents
    receipt.journal = journal
    receipt.save(update_fields=["state", "confirmed_by", "confirmed_at", "late", "rate", "credited_cents", "journal"])


def _worth(receipt: Receipt, request: PaymentRequest | None, late: bool, now: datetime) -> tuple[Rate | None, int]:
    """The rate a receipt is credited at, and the cents it adds."""
    if request is None or receipt.problem:
        return None, 0
    if late:
        rate = rates.current(receipt.asset, now)
        decimals = NETWORKS[receipt.network].asset(receipt.asset).decimals
        return rate, value_cents(receipt.units, rate.micro_usd, decimals)
    before = request.receipts.filter(state=State.CONFIRMED, late=False, problem="")
    units = sum(before.values_list("units", flat=True))  # in Python: SQLite keeps units as text
    posted = before.aggregate(total=Sum("credited_cents"))["total"] or 0
    return request.rate, credited_cents(units + receipt.units, request.due_units, request.amount_cents) - posted


def _wants_second(request: PaymentRequest, cents: int, by: Customer | None) -> bool:
    """Whether this sum wants two operators, judged on the whole request: small parts do not go around it."""
    if by is None:
        return False
    posted = request.receipts.aggregate(total=Sum("credited_cents"))["total"] or 0
    return bool(posted + cents > settings.TWO_PERSON_CENTS)


def _cover(request: PaymentRequest, by: Customer | None) -> None:
    """The request is covered once what was credited for it reaches what it asked for."""
    credited = request.receipts.aggregate(total=Sum("credited_cents"))["total"] or 0
    if credited < request.amount_cents or PaymentRequest.State.COVERED not in PaymentRequest.MOVES[request.state]:
        return
    old = request.state
    if PaymentRequest.objects.filter(pk=request.pk, state=old).update(state=PaymentRequest.State.COVERED):
        PaymentRequestMove.objects.create(
            request=request,
            old=old,
            new=PaymentRequest.State.COVERED,
            actor_id=None if by is None else by.pk,
            code="covered",
        )


def _note(receipt: Receipt, old: str, new: str, by: Customer | None, code: str, evidence: str) -> None:
    ReceiptMove.objects.create(
        receipt=receipt,
        old=old,
        new=new,
        actor_id=None if by is None else by.pk,
        code=code,
        note=evidence.strip()[:1000],
    )
