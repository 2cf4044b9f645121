"""Paying an order: choose network and asset, the payment sheet, the notice, or the balance."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from billing import payments, sheet
from billing.forms import PaidNoticeForm
from billing.guards import request_for
from billing.ledger import balance_of
from billing.models import PaymentRequest
from common.refusals import Refusal
from rental.guards import order_for, person
from rental.models import Order
from rental.orders import ordering, timeline
from rental.orders.bought import bought


@require_http_methods(["GET", "POST"])
@login_required
def pay(request: HttpRequest, code: str) -> HttpResponse:
    """The sheet of what to send; without one, or on wish, the choice of network and asset."""
    order = order_for(request.user, code)
    if request.method == "POST":
        return _ask(request, order)
    asked = _asked(order, request.GET.get("request", ""))
    if asked is None or "choose" in request.GET or "network" in request.GET:
        return _choose(request, order, asked)
    return _sheet(request, order, asked, PaidNoticeForm())


def _asked(order: Order, wanted: str) -> PaymentRequest | None:
    """The request that was asked for by id, or the newest."""
    requests = list(payments.requests_for(order.code))
    return next((row for row in requests if row.pk == wanted), requests[0] if requests else None)


def _ask(request: HttpRequest, order: Order) -> HttpResponse:
    network, asset = request.POST.get("network", ""), request.POST.get("asset", "")
    try:
        asked = ordering.ask_payment(order, network=network, asset=asset)
    except Refusal as refusal:
        return _choose(request, order, None, refusal)
    return redirect(_address(order, asked))


def _address(order: Order, asked: PaymentRequest) -> str:
    return f"{reverse('pay', args=[order.code])}?request={asked.pk}"


def _choose(
    request: HttpRequest, order: Order, asked: PaymentRequest | None, refusal: Refusal | None = None
) -> HttpResponse:
    if order.state != Order.State.PLACED:
        return redirect("order", order.code)
    chosen = (request.POST if refusal else request.GET).get("network", "")
    choices = sheet.choices(chosen, timezone.now(), order.total_cents)
    context = choices | _common(order) | {"refusal": refusal, "asked": asked}
    return render(request, "billing/choose_asset.html", context, status=refusal.status if refusal else 200)


def _sheet(
    request: HttpRequest, order: Order, asked: PaymentRequest, form: PaidNoticeForm, status: int = 200
) -> HttpResponse:
    facts = sheet.payment_sheet(
        asked,
        timezone.now(),
        paid_at=order.paid_at,
        more=timeline.move_lines(order),
        exchange_fee=request.GET.get("fee", ""),
    )
    return render(request, "billing/pay.html", {"order": order, "sheet": facts, "form": form}, status=status)


def _common(order: Order) -> dict[str, Any]:
    balance = balance_of(order.customer).cents
    return {
        "order": order,
        "bought": bought(order),
        "balance_cents": balance,
        "covered": balance >= order.total_cents and order.state == Order.State.PLACED,
        "now": timezone.now(),
    }


@require_POST
@login_required
def paid(request: HttpRequest, code: str, request_id: str) -> HttpResponse:
    """“I paid”: one notice a request, however often it is pressed. It moves nothing."""
    order, asked = order_for(request.user, code), request_for(person(request), request_id)
    if asked.reference != order.code:
        raise Http404
    form = PaidNoticeForm(request.POST)
    if form.is_valid():
        try:
            payments.note_paid(asked, form.cleaned_data["transaction"] or None)
            return redirect(_address(order, asked))
        except Refusal as refusal:
            form.add_error("transaction" if refusal.field == "transaction" else None, str(refusal.sentence))
    return _sheet(request, order, asked, form, status=422)


@require_http_methods(["GET", "POST"])
@login_required
def from_balance(request: HttpRequest, code: str) -> HttpResponse:
    order = order_for(request.user, code)
    if order.state != Order.State.PLACED:
        return redirect("order", order.code)
    refusal = None
    if request.method == "POST":
        try:
            ordering.pay_from_balance(order, person(request))
        except Refusal as error:
            refusal = error
        else:
            messages.success(request, _("The order is paid. Its price was charged to your balance."))
            return redirect("order", order.code)
    context = _common(order) | {"refusal": refusal}
    context |= {"left_cents": context["balance_cents"] - order.total_cents}
    context |= {"missing_cents": -context["left_cents"]}
    return render(request, "rental/order_balance.html", context, status=refusal.status if refusal else 200)
