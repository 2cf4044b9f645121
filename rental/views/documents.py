"""Documents of an order to keep: its confirmation, and after the payment its receipt."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from rental.guards import order_for
from rental.models import Order
from rental.orders import papers, rules, timeline
from rental.orders.bought import bought
from rental.orders.vocabulary import describe


@require_GET
@login_required
def confirmation(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    return render(request, "rental/order_confirmation.html", _facts(found) | {"rules": rules.of_order()})


@require_GET
@login_required
def receipt(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    paid = papers.paid(found) if found.paid_at else None
    if paid is None:
        return redirect("order", found.code)
    return render(request, "rental/order_receipt.html", _facts(found) | {"paid": paid})


def _facts(order: Order) -> dict[str, Any]:
    now = timezone.now()
    state = describe(order, now, timeline.money_of([order.code]).get(order.code, "waiting"))
    return {"order": order, "state": state, "now": now, "bought": bought(order)}
