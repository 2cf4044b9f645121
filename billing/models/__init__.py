"""The tables of the billing room."""

from billing.models.ledger import Account, Journal, Posting
from billing.models.payment import PaidNotice, PaymentRequest, PaymentRequestMove, Receipt, ReceiptMove
from billing.models.source import AddressKey, Rate, ReceivingAddress

__all__ = [
    "Account",
    "AddressKey",
    "Journal",
    "PaidNotice",
    "PaymentRequest",
    "PaymentRequestMove",
    "Posting",
    "Rate",
    "Receipt",
    "ReceiptMove",
    "ReceivingAddress",
]
