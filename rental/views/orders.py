"""A customer's orders: the list, one order, and the acts on it."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from billing.ledger import balance_of
from common.api.cursor import page
from common.refusals import Refusal
from rental.catalogue import chooser
from rental.delivery import checklist, handover
from rental.forms import ReasonForm
from rental.guards import order_for, person
from rental.models import Access, CardProof, Order, Wipe
from rental.orders import ordering, rules, terms, timeline
from rental.orders.bought import bought, in_short
from rental.orders.vocabulary import describe

PAGE = 25


@require_GET
@login_required
def orders(request: HttpRequest) -> HttpResponse:
    own = Order.objects.filter(customer_id=request.user.pk).select_related("card")
    try:
        rows, after = page(own, request.GET.get("after"), PAGE)
    except Refusal:
        return redirect("orders")
    money = timeline.money_of(order.code for order in rows if order.state == Order.State.PLACED)
    now = timezone.now()
    lines = [
        {"order": order, "short": in_short(order), "state": describe(order, now, money.get(order.code, "waiting"))}
        for order in rows
    ]
    return render(request, "rental/orders.html", {"lines": lines, "after": after, "later": "after" in request.GET})


@require_GET
@login_required
def order(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    return render(request, "rental/order.html", _facts(found, timezone.now()))


def _facts(order: Order, now: datetime) -> dict[str, Any]:
    """Everything the page says of one order, in a number of queries that does not grow with it."""
    requests = timeline.requests_of(order)
    moves = list(order.moves.select_related("actor"))
    money = timeline.money_from(requests)
    facts: dict[str, Any] = {
        "order": order,
        "state": describe(order, now, money),
        "now": now,
        "bought": bought(order),
        "again": chooser.query_of(order),
        "tasks": _tasks(order, now),
        "delivered": order.delivered_at is not None,
        "overdue": order.state == Order.State.PLACED and order.pay_until <= now,
        "cancellable": rules.may_cancel(order, now),
        "late": order.is_overdue(now),
        "change_url": f"{reverse('rent')}?{chooser.query_of(order)}&order={order.code}",
        "replaced_by": Order.objects.filter(replaces=order).first() if order.state == Order.State.CANCELLED else None,
        "late_rule": rules.late_delivery(),
    }
    if order.is_live and order.delivered_at is None:
        facts["rules"] = rules.of_order()
    reveals: list[Any] = []
    proofs: list[CardProof] = []
    if order.delivered_at is not None:
        facts["access"] = Access.objects.filter(order=order).first()
        reveals = list(facts["access"].reveals.all()) if facts["access"] else []
        proofs = timeline.proofs_of(order)
        facts |= {
            "reveals": reveals,
            "checklists": [one for proof in proofs if (one := checklist.of_proofs(order, [proof]))],
            "faults": order.faults.select_related("downtime"),
            "downtimes": order.downtimes.all(),
            "wipes": Wipe.objects.filter(host__order=order).select_related("host"),
            "wiped_later": order.ended_at and order.hosts.filter(exclusive=True, wipe=None).exists(),
            "credit_rule": f"{rules.downtime_credit()} {rules.downtime_details()}",
        }
    if order.state == Order.State.PLACED:
        facts["balance_cents"] = balance_of(order.customer).cents
        facts["covered"] = facts["balance_cents"] >= order.total_cents
    facts["trail"] = timeline.trail(order, moves, requests, reveals, proofs)
    return facts


def _tasks(order: Order, now: datetime) -> list[dict[str, Any]]:
    """The road of an order: what is done, with its time, and what is not."""
    road: list[dict[str, Any]] = [
        {"name": _("Place the order"), "at": order.placed_at},
        {"name": _("Pay in full"), "at": order.paid_at, "hint": _("not yet")},
        {"name": _("Machine handed over"), "at": order.delivered_at, "hint": _("not yet")},
        {"name": _("Use it until the end"), "at": order.ended_at, "hint": _("not yet")},
    ]
    last = max(index for index, task in enumerate(road) if task["at"])
    for index, task in enumerate(road):
        task["done"], task["current"] = bool(task["at"]), index == last
    if order.state == Order.State.DELIVERED:
        road[3]["hint"] = _("running")
    return road


@require_http_methods(["GET", "POST"])
@login_required
def cancel(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    form = ReasonForm(request.POST or None)
    refusal = None
    if request.method == "POST" and form.is_valid():
        seen = request.POST.get("seen_state") or None
        try:
            ordering.cancel(found, person(request), form.cleaned_data["reason"], seen_state=seen)
        except Refusal as error:
            refusal = error
            found.refresh_from_db()
        else:
            return redirect("order", found.code)
    if not rules.may_cancel(found, timezone.now()):
        if refusal:
            messages.error(request, str(refusal.sentence))
        return redirect("order", found.code)
    balance = balance_of(found.customer).cents
    facts = {"order": found, "form": form, "bought": bought(found), "refusal": refusal, "balance_cents": balance}
    facts |= {"paid": found.paid_at is not None, "after_cents": balance + found.total_cents}
    return render(request, "rental/order_cancel.html", facts, status=409 if refusal else 200)


@require_http_methods(["GET", "POST"])
@login_required
def extend(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    if found.state != Order.State.DELIVERED or found.ends_at is None:
        return redirect("order", found.code)
    if request.method == "POST":
        return _extend(request, found)
    return render(request, "rental/order_extend.html", _extension(found))


def _extend(request: HttpRequest, order: Order) -> HttpResponse:
    seen = _moment(request.POST.get("seen_ends_at", ""))
    if seen is None:
        return redirect("order_extend", order.code)
    try:
        ordering.extend(order, person(request), seen_ends_at=seen)
    except Refusal as refusal:
        return render(request, "rental/order_extend.html", _extension(order) | {"refusal": refusal}, status=409)
    messages.success(request, _("The term was extended, and the price was charged to your balance."))
    return redirect("order", order.code)


def _moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _extension(order: Order) -> dict[str, Any]:
    assert order.ends_at is not None  # noqa: S101  (the only callers have looked)
    balance = balance_of(order.customer).cents
    return {
        "order": order,
        "bought": bought(order),
        "new_end": order.ends_at + order.term,
        "seen_ends_at": order.ends_at.isoformat(),
        "balance_cents": balance,
        "left_cents": balance - order.total_cents,
        "missing_cents": order.total_cents - balance,
        "withdrawn": terms.is_withdrawn(order.card, timezone.now()),
        "extensions": order.extensions.all(),
        "covered": balance >= order.total_cents,
    }


@require_http_methods(["GET", "POST"])
@login_required
def access(request: HttpRequest, code: str) -> HttpResponse:
    """POST shows the access in its own answer: an address that shows it again would be one more secret to guard."""
    found = order_for(request.user, code)
    text = None
    if request.method == "POST":
        try:
            text = handover.reveal(found, person(request))
        except Refusal as refusal:
            messages.error(request, str(refusal.sentence))
            return redirect("order", found.code)
    elif found.state != Order.State.DELIVERED:
        return redirect("order", found.code)
    context = {"order": found, "text": text, "hosts": handover.hosts_of(found), "now": timezone.now()}
    return render(request, "rental/order_access.html", context)
