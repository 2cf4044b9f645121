"""Money by API: the same acts as the pages. Cents are integers, coin amounts decimal strings of whole coins."""

from typing import Annotated, Any, Literal

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from ninja import Router, Schema
from pydantic import BaseModel, Field, StrictBool, StrictInt

from billing import ledger, payments, receipts
from billing.amounts import units_of
from billing.guards import person, request_for
from billing.models import Account, PaymentRequest, Posting
from billing.networks import NETWORKS
from billing.uris import payment_uri
from billing.wording import no_coin
from common.api import auth
from common.api.answers import Text, answer, instant
from common.api.cursor import page
from common.api.idempotency import idempotent
from common.formats import coin
from common.refusals import Refusal

router = Router()


class BalanceOut(Schema):
    cents: int = Field(description="USD cents that may be spent")
    held_cents: int = Field(description="seen on a network and not yet confirmed; not part of `cents`")


class PostingOut(Schema):
    id: int
    at: str
    kind: Literal["credit", "charge", "refund", "adjust"]
    reference: str = Field(description="the order's code, or empty")
    reason: str
    cents: int = Field(description="the change of the balance")
    balance_after_cents: int


class LedgerOut(Schema):
    items: list[PostingOut]
    next: str | None


class PaymentRequestOut(Schema):
    """What to send: `amount` is a decimal string in whole coins; in a demo `uri` says that no coin may be sent."""

    id: str
    order: str
    network: str
    asset: str
    address: str
    amount: str
    amount_cents: int
    rate: str = Field(description="USD for one whole coin")
    rate_source: Literal["table", "example"]
    rate_set_at: str
    uri: str
    created_at: str
    expires_at: str
    state: Literal["open", "covered", "closed"]


class NoticeIn(BaseModel):
    # Not a Ninja Schema: with every field optional, that would take a list or a text for an empty body.
    transaction: Annotated[Text, Field(max_length=130)] | None = None


class NoticeOut(Schema):
    noted_at: str
    transaction: str | None
    confirms_receipt: Literal[False]


class ReceiptIn(Schema):
    network: Annotated[Text, Field(max_length=16, examples=["bitcoin"])]
    transaction: Annotated[Text, Field(max_length=130)]
    output: StrictInt = Field(ge=0, lt=2**63, description="output number or log index")
    address: Annotated[Text, Field(max_length=128)]
    amount: Annotated[Text, Field(max_length=100, examples=["0.014249"])]
    evidence: Annotated[Text, Field(max_length=1000)]
    confirmed: StrictBool
    asset: Annotated[Text, Field(max_length=8)] | None = Field(
        None, description="wanted where the address was given to no request and the network carries several"
    )


class ReceiptOut(Schema):
    id: int
    state: Literal["seen", "confirmed", "replaced"]
    credited_cents: int
    problem: Literal["", "wrong_asset", "unknown_address"]
    waits_for_second: bool = Field(description="one operator vouched; another must confirm a sum like this")


NO_CLAIM = NoticeIn(transaction=None)


def present_request(request: PaymentRequest) -> dict[str, Any]:
    """A payment request as PaymentRequestOut wants it."""
    network = NETWORKS[request.network]
    asset = network.asset(request.asset)
    address = request.address.address
    label = f"Kernodeck {request.reference}"
    uri = no_coin() if settings.DEMO else payment_uri(network, asset, address, request.due_units, label)
    return {
        "id": request.pk,
        "order": request.reference,
        "network": request.network,
        "asset": request.asset,
        "address": address,
        "amount": coin(request.due_units, asset.decimals),
        "amount_cents": request.amount_cents,
        "rate": coin(request.rate.micro_usd, 6),
        "rate_source": str(request.rate.source),
        "rate_set_at": instant(request.rate.set_at),
        "uri": uri,
        "created_at": instant(request.created_at),
        "expires_at": instant(request.expires_at),
        "state": str(request.state),
    }


@router.get("/balance", auth=auth.read, response=BalanceOut, summary="Your balance in USD cents")
def balance(request: HttpRequest) -> Any:
    return vars(ledger.balance_of(person(request)))


@router.get("/ledger", auth=auth.read, response=LedgerOut, summary="The lines your balance is the sum of, newest first")
def lines(request: HttpRequest, cursor: str | None = None) -> Any:
    account = Account.objects.filter(customer_id=person(request).pk).first()
    rows, after = page(Posting.objects.filter(account=account).select_related("journal"), cursor)
    return {"items": [_posting(row) for row in rows], "next": after}


@router.post(
    "/payment-requests/{request_id}/paid-notice",
    auth=auth.order,
    response=NoticeOut,
    summary="Tell that you paid: noted once, proves and moves nothing",
)
@idempotent(answer(200))
def paid_notice(request: HttpRequest, request_id: str, payload: NoticeIn = NO_CLAIM) -> Any:
    notice = payments.note_paid(request_for(person(request), request_id), payload.transaction)
    return {"noted_at": instant(notice.noted_at), "transaction": notice.transaction, "confirms_receipt": False}


@router.post("/desk/receipts", auth=auth.desk, response=ReceiptOut, summary="Record money seen, and confirm it")
@idempotent(answer(200))
def record(request: HttpRequest, payload: ReceiptIn) -> Any:
    facts = payload.dict()
    facts["amount"] = _units(payload)
    receipt = payments.record_receipt(**facts, by=person(request))
    return {
        "id": receipt.pk,
        "state": str(receipt.state),
        "credited_cents": receipt.credited_cents,
        "problem": str(receipt.problem),
        "waits_for_second": receipt.vouched_at is not None and receipt.state == receipt.State.SEEN,
    }


def _units(payload: ReceiptIn) -> int:
    """The amount in smallest units of the asset that arrived at this address."""
    asset = receipts.asset_at(payload.network, payload.address, payload.asset)
    try:
        return units_of(payload.amount, asset.decimals)
    except ValueError:
        raise Refusal(
            "bad_amount",
            _("Write the amount in whole %(asset)s with digits and a point, at most %(digits)s after the point.")
            % {"asset": asset.code, "digits": asset.decimals},
            status=422,
            field="amount",
        ) from None


def _posting(row: Posting) -> dict[str, Any]:
    journal = row.journal
    return {
        "id": row.pk,
        "at": instant(journal.at),
        "kind": str(journal.kind),
        "reference": journal.reference,
        "reason": journal.reason,
        "cents": row.cents,
        "balance_after_cents": row.balance_after_cents,
    }
