"""What a customer does about a machine: report a fault, keep the SSH keys it is prepared with."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from common.refusals import Refusal
from rental.accounts import ssh_keys
from rental.delivery import faults
from rental.delivery.forms import FaultForm, KeyForm
from rental.forms import refuse
from rental.guards import order_for, person
from rental.models import Order
from rental.orders import rules
from rental.orders.bought import bought


@require_http_methods(["GET", "POST"])
@login_required
def fault(request: HttpRequest, code: str) -> HttpResponse:
    found = order_for(request.user, code)
    form = FaultForm(request.POST or None, initial={"since": timezone.now()})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        # The field knows minutes: a fault noticed in the minute of the handover began with it.
        since = max(data["since"], found.delivered_at) if _same_minute(found, data["since"]) else data["since"]
        try:
            faults.report(found, person(request), text=data["text"], since=since)
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            messages.success(request, _("Your report was received. An operator answers you."))
            return redirect("order", found.code)
    if found.state != Order.State.DELIVERED and not form.errors:
        return redirect("order", found.code)
    context = {
        "order": found,
        "form": form,
        "bought": bought(found),
        "rule": rules.downtime_credit(),
        "details": rules.downtime_details(),
    }
    return render(request, "rental/order_fault.html", context, status=409 if form.errors else 200)


def _same_minute(order: Order, since: object) -> bool:
    return order.delivered_at is not None and order.delivered_at.replace(second=0, microsecond=0) == since


@require_http_methods(["GET", "POST"])
@login_required
def keys(request: HttpRequest) -> HttpResponse:
    owner = person(request)
    form = KeyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            ssh_keys.add(owner, text=data["key"], label=data["label"])
        except Refusal as refusal:
            if refusal.code == "private_key":
                form = KeyForm({"key": "", "label": data["label"]})  # it goes back to no page
                form.full_clean()
                form.errors.pop("key", None)
            refuse(form, refusal)
        else:
            messages.success(request, _("The key is kept. Machines handed over from now on are prepared with it."))
            return redirect("account_keys")
    context = {"form": form, "keys": ssh_keys.of(owner)}
    return render(request, "rental/account_keys.html", context, status=409 if form.errors else 200)


@require_POST
@login_required
def remove_key(request: HttpRequest, number: int) -> HttpResponse:
    if ssh_keys.remove(person(request), number):
        messages.success(request, _("The key is removed. A machine that has it keeps it until its term ends."))
    return redirect("account_keys")
