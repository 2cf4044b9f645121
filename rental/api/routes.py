"""Renting by API: the same acts as the pages."""

from collections import defaultdict
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from billing import api as money
from common.api import auth
from common.api.answers import answer
from common.api.cursor import page
from common.api.idempotency import idempotent
from rental import guards
from rental.api import present
from rental.api.shapes import (
    AccessOut,
    AskIn,
    CardsOut,
    DeliveredOut,
    DeliverIn,
    ExtendIn,
    OrderIn,
    OrdersOut,
    OrderWithMovesOut,
    QuoteIn,
    QuoteOut,
    ReasonIn,
)
from rental.catalogue import stock
from rental.choosing.fits import Fits
from rental.delivery import handover
from rental.models import Order, Price
from rental.orders import ordering

router = Router()
# Optional bodies: a POST without one is the act with its defaults.
NO_REASON, NO_END = ReasonIn(reason=""), ExtendIn(ends_at=None)


@router.get("/cards", auth=auth.read, response=CardsOut, summary="Cards on sale, with lots free and prices")
def cards(request: HttpRequest, libs: str = "", backend: str = "") -> Any:
    now = timezone.now()
    prices: dict[int, list[Price]] = defaultdict(list)
    for price in Price.objects.in_force(now):
        prices[price.card_id].append(price)
    rows = stock.cards_on_sale(now)
    fits = Fits(libs, backend, request.user)
    return {"items": [present.card(row, row.lots_free, prices[row.pk], fits) for row in rows], "next": None}


@router.post("/quotes", auth=auth.order, response={201: QuoteOut}, summary="Hold lots at today's price")
@idempotent(answer(201))
def quotes(request: HttpRequest, payload: QuoteIn) -> Any:
    choices = payload.dict()
    note, code, customer = choices.pop("preparation_note"), choices.pop("changes"), guards.person(request)
    changes = guards.order_for(customer, code) if code else None
    return present.quote(ordering.quote(customer, note=note, changes=changes, **choices))


@router.post("/orders", auth=auth.order, response={201: OrderWithMovesOut}, summary="Place a quote as an order")
@idempotent(answer(201))
def place(request: HttpRequest, payload: OrderIn) -> Any:
    customer = guards.person(request)
    return present.order_with_moves(ordering.place(customer, payload.quote), customer)


@router.get("/orders", auth=auth.read, response=OrdersOut, summary="Your orders, newest first")
def orders(request: HttpRequest, cursor: str | None = None) -> Any:
    rows, after = page(Order.objects.filter(customer=guards.person(request)).select_related("card", "replaces"), cursor)
    return {"items": [present.order(row) for row in rows], "next": after}


@router.get("/orders/{code}", auth=auth.read, response=OrderWithMovesOut, summary="An order with its moves")
def one(request: HttpRequest, code: str) -> Any:
    return present.order_with_moves(guards.order_for(request.user, code), guards.person(request))


@router.post("/orders/{code}/pay-from-balance", auth=auth.order, response=OrderWithMovesOut)
@idempotent(answer(200))
def pay_from_balance(request: HttpRequest, code: str) -> Any:
    customer = guards.person(request)
    paid = ordering.pay_from_balance(guards.order_for(customer, code), customer)
    return present.order_with_moves(paid, customer)


@router.post("/orders/{code}/cancel", auth=auth.order, response=OrderWithMovesOut)
@idempotent(answer(200))
def cancel(request: HttpRequest, code: str, payload: ReasonIn = NO_REASON) -> Any:
    customer = guards.person(request)
    cancelled = ordering.cancel(guards.order_for(customer, code), customer, payload.reason)
    return present.order_with_moves(cancelled, customer)


@router.post("/orders/{code}/extend", auth=auth.order, response=OrderWithMovesOut)
@idempotent(answer(200))
def extend(request: HttpRequest, code: str, payload: ExtendIn = NO_END) -> Any:
    customer = guards.person(request)
    extended = ordering.extend(guards.order_for(customer, code), customer, seen_ends_at=payload.ends_at)
    return present.order_with_moves(extended, customer)


@router.post("/orders/{code}/payment-requests", auth=auth.order, response={201: dict[str, Any]})
@idempotent(answer(201))
def payment_requests(request: HttpRequest, code: str, payload: AskIn) -> Any:
    order = guards.order_for(request.user, code)
    return money.present_request(ordering.ask_payment(order, network=payload.network, asset=payload.asset))


@router.post(
    "/orders/{code}/access", auth=auth.order, response=AccessOut, summary="Read the access; each reading is kept"
)
def access(request: HttpRequest, code: str) -> Any:
    customer = guards.person(request)
    return {"access": handover.reveal(guards.order_for(customer, code), customer)}


@router.post(
    "/desk/orders/{code}/deliver", auth=auth.desk, response=DeliveredOut, summary="Hand an order over on hosts"
)
@idempotent(answer(200))
def deliver(request: HttpRequest, code: str, payload: DeliverIn) -> Any:
    operator = guards.person(request)
    order = guards.order_at_desk(operator, code)
    delivered = handover.hand_over(order, hosts=payload.hosts, access=payload.access, by=operator)
    return {**present.order(delivered), "hosts": handover.hosts_of(delivered)}
