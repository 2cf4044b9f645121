"""The operators' acts on money: receipts, rates, and corrections of a balance."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from billing import ledger, payments, rates
from billing.amounts import units_of
from billing.models import PaymentRequest, Rate, Receipt
from billing.networks import ASSETS, NETWORKS
from common.codes import reference
from common.refusals import Refusal
from rental.desk import approvals, queues
from rental.desk.stepping import kept, money_act
from rental.forms import ASKED, AdjustForm, EvidenceForm, RateForm, ReceiptForm, refuse
from rental.guards import person
from rental.models import User


@require_http_methods(["GET", "POST"])
@money_act
def new_receipt(request: HttpRequest) -> HttpResponse:
    asked = _asked(request.GET.get("request", ""))
    form = ReceiptForm(request.POST or None, initial={**_from_request(asked), **kept(request)})
    if request.method == "POST" and form.is_valid():
        try:
            receipt = _record(form.cleaned_data, person(request))
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            return redirect("desk_receipt", receipt.pk)
    context = {"form": form, "asked": asked, "due": queues.amount_of(asked) if asked else ""}
    return render(request, "rental/desk_receipt_new.html", context, status=422 if form.errors else 200)


def _asked(request_id: str) -> PaymentRequest | None:
    rows = PaymentRequest.objects.select_related("address", "notice")
    return rows.filter(pk=request_id).first() if request_id else None


def _from_request(asked: PaymentRequest | None) -> dict[str, Any]:
    if asked is None:
        return {"output": "0"}
    return {"network": asked.network, "asset": asked.asset, "address": asked.address.address, "output": "0"}


def _record(data: dict[str, Any], by: User) -> Receipt:
    """The form's whole coins become smallest units here: an asset's digits are known only now."""
    try:
        decimals = NETWORKS[data["network"]].asset(data["asset"]).decimals
    except KeyError:
        sentence = _("This network does not carry this asset here. Choose one that it carries.")
        raise Refusal("unknown_asset", sentence, status=422, field="asset") from None
    try:
        amount = units_of(data["amount"], decimals)
    except ValueError:
        sentence = _("This coin has at most %(digits)s digits after the point.") % {"digits": decimals}
        raise Refusal("bad_amount", sentence, status=422, field="amount") from None
    names = ("network", "asset", "transaction", "output", "address", "evidence", "confirmed")
    return payments.record_receipt(**{name: data[name] for name in names}, amount=amount, by=by)


@require_http_methods(["GET", "POST"])
@money_act
def receipt(request: HttpRequest, number: int) -> HttpResponse:
    """A receipt with its history; POST confirms it."""
    rows = Receipt.objects.select_related("request__customer", "recorded_by", "vouched_by", "confirmed_by")
    found = get_object_or_404(rows, pk=number)
    form = EvidenceForm(request.POST or None, initial=kept(request))
    if request.method == "POST" and form.is_valid():
        try:
            payments.confirm(found, by=person(request), evidence=form.cleaned_data["evidence"])
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            return redirect("desk_receipt", number)
    context = {
        "receipt": found,
        "form": form,
        "amount": queues.amount_of(found),
        "own": found.vouched_by_id == request.user.pk,
        "moves": found.moves.select_related("actor").order_by("-pk"),
    }
    return render(request, "rental/desk_receipt.html", context, status=409 if form.errors else 200)


@require_POST
@money_act
def replace(request: HttpRequest, number: int) -> HttpResponse:
    """The network dropped this transaction."""
    found = get_object_or_404(Receipt, pk=number)
    form = EvidenceForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say what shows that this transaction was replaced. Nothing was changed."))
        setattr(request, "desk_refused", True)  # noqa: B010 - read by rental.desk.keeping
        return redirect("desk_receipt", number)
    try:
        payments.replace(found, by=person(request), evidence=form.cleaned_data["evidence"])
    except Refusal as refusal:
        messages.error(request, str(refusal.sentence))
        setattr(request, "desk_refused", True)  # noqa: B010 - read by rental.desk.keeping
    return redirect("desk_receipt", number)


@require_http_methods(["GET", "POST"])
@money_act
def rate(request: HttpRequest, asset: str) -> HttpResponse:
    if asset not in ASSETS:
        raise Http404
    last = Rate.objects.filter(asset=asset).order_by("-pk").first()
    start = {"value": queues.usd_of(last) if last else "", "hours": "24"}
    form = RateForm(request.POST or None, initial=start | kept(request))
    if request.method == "POST" and form.is_valid():
        valid_for = timedelta(hours=form.cleaned_data["hours"])
        try:
            rates.set_rate(asset, form.cleaned_data["value"], by=person(request), valid_for=valid_for)
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            return redirect("desk")
    context = {"asset": asset, "last": last, "last_usd": queues.usd_of(last) if last else "", "form": form}
    return render(request, "rental/desk_rate.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@money_act
def adjust(request: HttpRequest) -> HttpResponse:
    """A correction of one balance: first the form, then a look at what it would do, then the act."""
    form = AdjustForm(request.POST or None, initial=kept(request))
    context: dict[str, Any] = {"form": form, "form_id": request.POST.get("form_id", "")[:64] or reference()}
    if request.method == "POST" and form.is_valid():
        customer = User.objects.filter(email=form.cleaned_data["email"].lower()).first()
        if customer is None:
            form.add_error("email", _("No account has this email address. Check its spelling."))
        elif "sure" in request.POST and _adjust(request, form, customer, context["form_id"]):
            return redirect("desk")
        elif not form.errors:
            before, change = ledger.balance_of(customer).cents, form.cleaned_data["amount"]
            context |= {"customer": customer, "before": before, "change": change, "after": before + change}
    return render(request, "rental/desk_adjust.html", context, status=422 if form.errors else 200)


def _adjust(request: HttpRequest, form: AdjustForm, customer: User, form_id: str) -> bool:
    data, by = form.cleaned_data, person(request)
    try:
        key = f"adjust:{by.pk}:{form_id}"
        asked = approvals.adjust(customer, data["amount"], by, reason=data["reason"], key=key)
    except Refusal as refusal:
        refuse(form, refusal)
        return False
    done = _("The balance of %(email)s was adjusted.") % {"email": customer.email}
    messages.success(request, ASKED if asked else done)
    return True
