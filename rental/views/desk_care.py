"""The desk's acts on machines in and after a term: answer a fault, record time down, write down a wiping."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from common.refusals import Refusal
from rental.delivery import faults, wiping
from rental.delivery.forms import DowntimeForm, NotFoundForm, WipeForm
from rental.desk import approvals
from rental.desk.stepping import kept, money_act
from rental.forms import ASKED, refuse
from rental.guards import operators_only, order_at_desk, person
from rental.models import Approval, FaultReport, OrderHost
from rental.orders import rules


@require_http_methods(["GET", "POST"])
@money_act
def fault(request: HttpRequest, number: int) -> HttpResponse:
    """A customer's report: confirmed with the time down, or not found, with the reason."""
    found = get_object_or_404(FaultReport.objects.select_related("order__card", "order__customer"), pk=number)
    not_found = "not_found" in request.POST
    start = {"begins": found.since, "ends": timezone.now(), "lots": "1", **kept(request)}
    form = DowntimeForm(request.POST if request.method == "POST" and not not_found else None, initial=start)
    refusal = NotFoundForm(request.POST if not_found else None, prefix="no")
    sent = refusal if not_found else form
    if request.method == "POST" and sent.is_valid():
        try:
            if not_found:
                faults.refuse(found, person(request), reason=refusal.cleaned_data["reason"])
            else:
                _told(request, approvals.downtime(found.order, found, person(request), **form.cleaned_data))
        except Refusal as error:
            refuse(sent, error)
        else:
            return redirect("desk_order", found.order.code)
    if found.state != FaultReport.State.OPEN and not sent.errors:
        return redirect("desk_order", found.order.code)
    context = {"fault": found, "order": found.order, "form": form, "refusal_form": refusal, **_rule()}
    return render(request, "rental/desk_fault.html", context, status=409 if sent.errors else 200)


@require_http_methods(["GET", "POST"])
@money_act
def downtime(request: HttpRequest, code: str) -> HttpResponse:
    """Time down that nobody reported."""
    found = order_at_desk(request.user, code)
    if found.delivered_at is None:
        return redirect("desk_order", found.code)
    form = DowntimeForm(request.POST or None, initial={"lots": "1", **kept(request)})
    if request.method == "POST" and form.is_valid():
        try:
            _told(request, approvals.downtime(found, None, person(request), **form.cleaned_data))
        except Refusal as error:
            refuse(form, error)
        else:
            return redirect("desk_order", found.code)
    context = {"order": found, "form": form, **_rule()}
    return render(request, "rental/desk_fault.html", context, status=409 if form.errors else 200)


def _told(request: HttpRequest, asked: Approval | None) -> None:
    done = _("Written down and credited by the rule. The customer was written to.")
    messages.success(request, ASKED if asked else done)


def _rule() -> dict[str, str]:
    return {"rule": rules.downtime_credit(), "details": rules.downtime_details()}


@require_http_methods(["GET", "POST"])
@operators_only
def wipe(request: HttpRequest, number: int) -> HttpResponse:
    host = get_object_or_404(OrderHost.objects.select_related("order__customer", "order__card"), pk=number)
    if not host.exclusive:
        raise Http404
    form = WipeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            wiping.record(host, person(request), **form.cleaned_data)
        except Refusal as error:
            refuse(form, error)
        else:
            messages.success(request, _("Written down. The host can serve another order."))
            return redirect("desk")
    context = {"host": host, "order": host.order, "form": form}
    return render(request, "rental/desk_wipe.html", context, status=409 if form.errors else 200)
