"""The only writer of the ledger: charge, refund, adjust, credit, and what a customer's balance is.

Order of locks, everywhere in the house: the order (rental) → the payment request → the receipt → the address key or
pool row → the customer's account → the journal's key. Each is taken late, once, and never after one to its right;
none keeps others from referring to its row (`no_key`). House accounts are not locked.
A journal's postings are written first and the journal last: the database refuses a posting to a journal that exists,
and a journal whose postings do not sum to zero.
"""

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, models, transaction
from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from billing.models import Account, Journal, Posting, Receipt
from common.formats import usd
from common.refusals import Refusal

Customer = models.Model  # billing knows a customer only as AUTH_USER_MODEL
Lines = list[tuple[Account, int]]
LARGEST: Final = 10**15  # ten trillion USD: above it a figure is a mistake


@dataclass(frozen=True)
class Balance:
    """USD cents a customer may spend, and cents seen on a network that nobody confirmed yet (not part of `cents`)."""

    cents: int
    held_cents: int


def balance_of(customer: Customer) -> Balance:
    row = Account.objects.filter(customer_id=customer.pk).values_list("balance_cents", flat=True).first()
    waiting = (
        Receipt.objects.filter(request__customer_id=customer.pk, state=Receipt.State.SEEN, problem="")
        .select_related("request")
        .only("units", "request__due_units", "request__amount_cents")
    )
    held = sum(r.units * r.request.amount_cents // r.request.due_units for r in waiting if r.request)
    return Balance(row or 0, held)


def charge(customer: Customer, cents: int, *, key: str, reference: str, by: Customer | None = None) -> Journal:
    """Take `cents` from the customer for `reference`.

    Raises: Refusal `insufficient_balance` with `balance_cents` and `needed_cents`; nothing is taken then.
    """
    _positive(cents)
    lines = [(customer_account(customer), -cents), (house(Account.Kind.SALES), cents)]
    return _write(Journal.Kind.CHARGE, key, lines, reference=reference, by=by)


def refund(customer: Customer, cents: int, *, key: str, reference: str, by: Customer | None, reason: str) -> Journal:
    """Give `cents` charged for `reference` back to the customer's balance. `by` is None when the house does it itself.

    Raises: Refusal `refund_above_charge` when more would go back than was charged.
    """
    _positive(cents)
    account = customer_account(customer)
    lines = [(house(Account.Kind.SALES), -cents), (account, cents)]
    with transaction.atomic():
        _lock(account)
        if not Journal.objects.filter(key=key).exists():
            spent = -(
                Posting.objects.filter(
                    account=account,
                    journal__reference=reference,
                    journal__kind__in=[Journal.Kind.CHARGE, Journal.Kind.REFUND],
                ).aggregate(total=Sum("cents"))["total"]
                or 0
            )
            if cents > spent:
                raise Refusal(
                    "refund_above_charge",
                    _("Only %(left)s of this order can still be refunded.") % {"left": usd(max(spent, 0))},
                    data={"refundable_cents": max(spent, 0)},
                )
        return _write(Journal.Kind.REFUND, key, lines, reference=reference, by=by, reason=reason)


def adjust(customer: Customer, cents: int, *, key: str, by: Customer, reason: str) -> Journal:
    """An operator's correction of a balance, up or down, always with a reason."""
    if cents == 0:
        raise Refusal("nothing_to_adjust", _("Enter an amount other than zero."), status=422, field="cents")
    if not reason.strip():
        raise Refusal("reason_missing", _("Say why the balance is adjusted."), status=422, field="reason")
    lines = [(house(Account.Kind.ADJUSTMENTS), -cents), (customer_account(customer), cents)]
    return _write(Journal.Kind.ADJUST, key, lines, by=by, reason=reason.strip())


def credit(
    customer: Customer, cents: int, *, key: str, reference: str, network: str, asset: str, by: Customer | None
) -> Journal:
    """Money that was received and confirmed, as USD on the customer's balance."""
    _positive(cents)
    lines = [(house(Account.Kind.RECEIPTS, f"{network}:{asset}"), -cents), (customer_account(customer), cents)]
    return _write(Journal.Kind.CREDIT, key, lines, reference=reference, by=by)


def customer_account(customer: Customer) -> Account:
    account, _made = Account.objects.get_or_create(
        customer_id=customer.pk,
        defaults={"code": f"customer:{customer.pk}", "kind": Account.Kind.CUSTOMER, "balance_cents": 0},
    )
    return account


def house(kind: Account.Kind, part: str = "") -> Account:
    """A house account: `sales`, `adjustments`, or `receipts:bitcoin:BTC`."""
    code = f"{kind.value}:{part}" if part else kind.value
    account, _made = Account.objects.get_or_create(code=code, defaults={"kind": kind})
    return account


def body_hash(kind: str, lines: list[tuple[str, int]], reference: str, by_id: int | None, reason: str) -> str:
    """What a key stands for: another body under the same key is refused."""
    body = [kind, sorted(lines), reference, by_id, reason]
    return hashlib.sha256(json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _positive(cents: int) -> None:
    if not 0 < cents < LARGEST:
        raise ValueError(f"cents must be between 1 and {LARGEST - 1}, not {cents}")


def _lock(account: Account) -> int:
    """Hold the customer's account to the end of the transaction; its balance in cents."""
    locked = (
        Account.objects.select_for_update(no_key=True)
        .filter(pk=account.pk)
        .values_list("balance_cents", flat=True)
        .get()
    )
    return locked or 0


def _write(
    kind: Journal.Kind, key: str, lines: Lines, *, reference: str = "", by: Customer | None = None, reason: str = ""
) -> Journal:
    """Write one journal, or find the one that this key already wrote."""
    by_id = None if by is None else by.pk
    digest = body_hash(kind, [(account.code, cents) for account, cents in lines], reference, by_id, reason)
    journal = Journal(
        id=uuid.uuid4(),
        key=key,
        kind=kind,
        reference=reference,
        reason=reason,
        by_id=by_id,
        lines=len(lines),
        body_hash=digest,
    )
    try:
        with transaction.atomic():
            postings = [_posting(journal, account, cents) for account, cents in lines]
            known = Journal.objects.filter(key=key).first()  # after the lock: who was first is visible now
            if known is not None:
                return _replay(known, digest)
            _refuse_overdraft(postings)
            Posting.objects.bulk_create(postings)
            journal.save(force_insert=True)
    except IntegrityError:
        # Two customers under one key: only one of them is in the unique index.
        known = Journal.objects.filter(key=key).first()
        if known is None:
            raise
        return _replay(known, digest)
    return journal


def _posting(journal: Journal, account: Account, cents: int) -> Posting:
    after = _lock(account) + cents if account.kind == Account.Kind.CUSTOMER else None
    return Posting(journal_id=journal.pk, account=account, cents=cents, balance_after_cents=after)


def _refuse_overdraft(postings: list[Posting]) -> None:
    for posting in postings:
        after = posting.balance_after_cents
        if after is not None and after < 0:
            balance = after - posting.cents
            raise Refusal(
                "insufficient_balance",
                _("The balance is %(balance)s and %(needed)s are needed. Your balance was not charged.")
                % {"balance": usd(balance), "needed": usd(-posting.cents)},
                data={"balance_cents": balance, "needed_cents": -posting.cents},
            )


def _replay(known: Journal, digest: str) -> Journal:
    if known.body_hash != digest:
        raise Refusal("key_reused", _("This key was used for another entry. Nothing was written."))
    return known
