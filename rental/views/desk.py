"""The operators' desk: what waits for a person, and the acts on an order."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from common.refusals import Refusal
from rental.accounts import ssh_keys
from rental.delivery import checklist, handover
from rental.desk import approvals, books
from rental.desk import queues as waiting_for
from rental.desk.stepping import kept, money_act
from rental.forms import ASKED, DeliveryForm, RefundForm, refuse
from rental.guards import operators_only, order_at_desk, person
from rental.models import Order
from rental.orders import lateness, timeline
from rental.orders.bought import bought
from rental.orders.vocabulary import describe


@require_GET
@operators_only
def queues(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    waiting: dict[str, list[Any]] = {
        "notices": waiting_for.notices(now),
        "receipts": waiting_for.receipts(now),
        "deliveries": waiting_for.deliveries(now),
        "ending": waiting_for.ending(now),
        "approvals": waiting_for.approvals(now),
        "faults": waiting_for.faults(),
        "wipes": waiting_for.wipes(),
    }
    late = sum(row["order"].is_overdue(now) for row in waiting["deliveries"])
    count = sum(len(waiting[name]) for name in ("notices", "receipts", "deliveries", "approvals", "faults", "wipes"))
    rest = {
        "lists": waiting_for.lists(),
        "rates": waiting_for.rates(now),
        "letters_given_up": waiting_for.letters_given_up(),
        "proof": books.latest(),
        "now": now,
    }
    return render(request, "rental/desk.html", waiting | rest | {"count": count, "late": late})


@require_POST
@operators_only
def prove(request: HttpRequest) -> HttpResponse:
    books.prove(timezone.now())
    return redirect(f"{reverse('desk')}#proof")


@require_http_methods(["GET", "POST"])
@operators_only
def order(request: HttpRequest, code: str) -> HttpResponse:
    """An order as the desk sees it; POST hands it over."""
    found = order_at_desk(request.user, code)
    form = DeliveryForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            data = form.cleaned_data
            handover.hand_over(found, hosts=data["hosts"], access=data["access"], by=person(request))
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            messages.success(request, _("Handed over. The term has begun and the customer was written to."))
            return redirect("desk_order", found.code)
    status = 409 if form.errors else 200
    return render(request, "rental/desk_order.html", _order(found, form), status=status)


def _order(order: Order, form: DeliveryForm) -> dict[str, Any]:
    now = timezone.now()
    requests = timeline.requests_of(order)
    open_to_deliver = order.state in (Order.State.PAID, Order.State.PREPARING)
    looks = handover.looks() if open_to_deliver else {}
    return {
        "order": order,
        "form": form,
        "ticked": form["hosts"].value() or [],
        "state": describe(order, now, timeline.money_from(requests)),
        "bought": bought(order),
        "deliverable": open_to_deliver,
        "hours_late": lateness.hours_late(order.promised_at, now) if open_to_deliver and order.promised_at else 0,
        "candidates": waiting_for.candidates(order, looks, now) if open_to_deliver else [],
        "hosts": handover.hosts_of(order),
        "checklists": checklist.of_hosts(order, looks),
        "keys": ssh_keys.of(order.customer) if open_to_deliver else [],
        "faults": order.faults.select_related("downtime") if order.delivered_at else [],
        "downtimes": order.downtimes.select_related("by") if order.delivered_at else [],
        "trail": timeline.trail(order, order.moves.select_related("actor"), requests, for_operator=True),
        "requests": requests,
    }


@require_POST
@operators_only
def prepare(request: HttpRequest, code: str) -> HttpResponse:
    found = order_at_desk(request.user, code)
    try:
        handover.start_preparation(found, person(request))
    except Refusal as refusal:
        messages.error(request, str(refusal.sentence))
        setattr(request, "desk_refused", True)  # noqa: B010 - read by rental.desk.keeping
    return redirect("desk_order", found.code)


@require_http_methods(["GET", "POST"])
@money_act
def refund(request: HttpRequest, code: str) -> HttpResponse:
    found = order_at_desk(request.user, code)
    form = RefundForm(request.POST or None, initial=kept(request))
    if request.method == "POST" and form.is_valid():
        try:
            asked = approvals.refund(found, person(request), reason=form.cleaned_data["reason"])
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            if asked:
                messages.info(request, ASKED)
            return redirect("desk_order", found.code)
    if found.state not in (Order.State.PAID, Order.State.PREPARING) and not form.errors:
        return redirect("desk_order", found.code)
    context = {"order": found, "form": form, "bought": bought(found)}
    return render(request, "rental/desk_refund.html", context, status=409 if form.errors else 200)
