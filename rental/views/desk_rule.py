"""The desk's pages of rules: what waits for a second operator, what operators did, the proofs of the books."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from common.api.cursor import page
from common.refusals import Refusal
from rental.desk import approvals
from rental.desk.stepping import kept, money_act
from rental.forms import LogForm, RefusalForm, refuse
from rental.guards import operators_only, person
from rental.models import Approval, OperatorAct, ProofRecord

PAGE = 50


@require_http_methods(["GET", "POST"])
@money_act
def approval(request: HttpRequest, number: int) -> HttpResponse:
    """One act that waits: done or refused by an operator who did not ask for it."""
    found = get_object_or_404(Approval.objects.select_related("asked_by", "answered_by"), pk=number)
    refusing = "refuse" in request.POST
    form = RefusalForm(request.POST if refusing else None, initial=kept(request))
    if request.method == "POST" and (not refusing or form.is_valid()):
        try:
            if refusing:
                approvals.refuse(found, person(request), form.cleaned_data["reason"])
            else:
                approvals.approve(found, person(request))
        except Refusal as error:
            if not refusing:
                form = RefusalForm({"reason": ""})
                form.full_clean()
                form.errors.clear()
            refuse(form, error)
        else:
            messages.success(request, _("Done.") if not refusing else _("Refused. Nothing was done."))
            return redirect("desk")
    waits = found.state == Approval.State.WAITING and found.expires_at > timezone.now()
    context = {"approval": found, "form": form, "waits": waits, "own": found.asked_by_id == request.user.pk}
    return render(request, "rental/desk_approval.html", context, status=409 if form.errors else 200)


@require_GET
@operators_only
def log(request: HttpRequest) -> HttpResponse:
    """What operators did, newest first, filtered by a GET form."""
    form = LogForm(request.GET or None)
    rows = OperatorAct.objects.select_related("by")
    if form.is_valid():
        data = form.cleaned_data
        rows = rows.filter(by__email__icontains=data["who"]) if data["who"] else rows
        rows = rows.filter(act__icontains=data["act"]) if data["act"] else rows
        rows = rows.filter(about__icontains=data["about"]) if data["about"] else rows
        rows = rows.filter(at__date=data["day"]) if data["day"] else rows
    try:
        shown, after = page(rows, request.GET.get("after"), PAGE)
    except Refusal:
        return redirect("desk_log")
    query = request.GET.copy()
    query.pop("after", None)
    context = {"form": form, "acts": shown, "after": after, "query": query.urlencode(), "filtered": bool(query)}
    return render(request, "rental/desk_log.html", context)


@require_GET
@operators_only
def proofs(request: HttpRequest) -> HttpResponse:
    return render(request, "rental/desk_proofs.html", {"proofs": ProofRecord.objects.all()[:PAGE]})
