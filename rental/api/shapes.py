"""The bodies of the rental API: numbers are integers and nothing else is read as one."""

from datetime import datetime
from typing import Annotated

from ninja import Schema
from pydantic import BaseModel, Field, StrictInt

from common.api.answers import Text


class QuoteIn(Schema):
    card: Text = Field(max_length=40, examples=["b200"])
    days: StrictInt = Field(examples=[7])
    lots: StrictInt = Field(examples=[2])
    preparation: Text = Field(max_length=16, examples=["pytorch"])
    preparation_note: Text = Field("", max_length=2000)
    changes: Text = Field("", max_length=9, description="Your unpaid order that this quote, once placed, replaces.")


class OrderIn(Schema):
    quote: Text = Field(max_length=26)


class AskIn(Schema):
    network: Text = Field(max_length=16, examples=["bitcoin"])
    asset: Text = Field(max_length=8, examples=["BTC"])


# Not Ninja Schemas: with every field optional, those would take a list or a text for an empty body.
class ReasonIn(BaseModel):
    reason: Text = Field("", max_length=1000)


class ExtendIn(BaseModel):
    ends_at: datetime | None = Field(
        None, description="The end you saw: when it is no longer the end, nothing is done."
    )


class DeliverIn(Schema):
    hosts: list[Annotated[Text, Field(max_length=64)]]
    access: Text = Field(max_length=20_000)


class PriceOut(Schema):
    days: int
    unit_price_cents: int


class VerdictReasonOut(Schema):
    code: str
    detail: str


class VerdictOut(Schema):
    preparation: str
    level: str
    reasons: list[VerdictReasonOut]
    proved_at: str | None
    run: str | None


class CardOut(Schema):
    slug: str
    name: str
    vendor: str
    backend: str
    memory_gb: int | None
    cards_per_lot: int
    lots_free: int
    prices: list[PriceOut]
    example_prices: bool
    verdicts: list[VerdictOut]


class CardsOut(Schema):
    items: list[CardOut]
    next: str | None = None


class BoughtOut(Schema):
    card: str
    days: int
    lots: int
    cards: int
    preparation: str
    preparation_note: str
    unit_price_cents: int
    total_cents: int


class QuoteOut(BoughtOut):
    id: str
    expires_at: str


class MoveOut(Schema):
    old: str
    new: str
    code: str
    sentence: str
    by: str
    at: str
    note: str


class OrderOut(BoughtOut):
    code: str
    state: str
    placed_at: str
    pay_until: str
    paid_at: str | None
    promised_at: str | None
    delivered_at: str | None
    ends_at: str | None
    ended_at: str | None
    late_hours: int
    replaces: str | None


class OrderWithMovesOut(OrderOut):
    moves: list[MoveOut]


class OrdersOut(Schema):
    items: list[OrderOut]
    next: str | None


class DeliveredOut(OrderOut):
    hosts: list[str]


class AccessOut(Schema):
    access: str
