"""From the catalogue to an order: choose, check, place."""

from typing import cast
from urllib.parse import urlencode

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from billing.ledger import balance_of
from common.codes import reference
from common.refusals import Refusal
from rental.catalogue import chooser
from rental.guards import order_for, person, quote_for
from rental.models import Order, Quote
from rental.orders import ordering, quoting, rules
from rental.orders.bought import bought
from rental.orders.moves import wrong_state

# The visitor's own open quote: its lots count as free for them, and a new choice gives them back.
HELD = "held_quote"


@require_GET
def rent(request: HttpRequest) -> HttpResponse:
    if request.GET.get("order") and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    changes = _to_change(request, request.GET.get("order", ""))
    held = request.session.get(HELD, "")
    page = chooser.read(request.GET, timezone.now(), held=held, changes=changes, reader=request.user)
    facts = {"hold_minutes": settings.QUOTE_MINUTES, "changes": changes, "query": page.query}
    return render(request, "rental/rent.html", page.context() | facts)


def _to_change(request: HttpRequest, code: str) -> Order | None:
    """The visitor's own unpaid order that the address names; another order is none of theirs to change."""
    if not code or not request.user.is_authenticated:
        return None
    order = order_for(request.user, code)
    if order.state != Order.State.PLACED:
        messages.error(request, str(wrong_state(order).sentence))
        return None
    return order


@require_http_methods(["GET", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Make the quote; what cannot be quoted goes back to the chooser, whose address shows why."""
    held = request.session.get(HELD, "")
    data = request.POST if request.method == "POST" else request.GET
    changes = _to_change(request, data.get("order", ""))
    page = chooser.read(data, timezone.now(), held=held, changes=changes)
    if data.get("order") and changes is None:
        # Signed out meanwhile: the chooser asks for the sign-in. Else the order is past changing, and is let go.
        page.chosen["order"] = "" if request.user.is_authenticated else page.chosen["order"]
        return redirect(f"{reverse('rent')}?{page.query}")
    if request.method == "POST" and page.form.is_valid():
        try:
            made = _quote(request, page.form.cleaned_data, held, changes)
        except Refusal as refusal:
            messages.error(request, str(refusal.sentence))
        else:
            request.session[HELD] = made.pk
            return redirect(_with_wishes(reverse("rent_summary", args=[made.pk]), page.chosen))
    return redirect(f"{reverse('rent')}?{page.query}")


def _quote(request: HttpRequest, choice: dict[str, object], held: str, changes: Order | None) -> Quote:
    customer = request.user if request.user.is_authenticated else None
    if customer is None and not ratelimit.consume(request, action="anonymous_quote"):
        sentence = _("Many choices were held from your network. Sign in to go on, or come back in half an hour.")
        raise Refusal("too_many_quotes", sentence, status=429)
    return quoting.quote(
        customer,
        card=str(choice["card"]),
        days=cast(int, choice["days"]),
        lots=cast(int, choice["lots"]),
        preparation=str(choice["preparation"]),
        note=str(choice["note"]),
        replaces=held or None,
        changes=changes,
    )


def _with_wishes(address: str, chosen: dict[str, str]) -> str:
    """What the project asks for is no part of a quote; it travels along so that Change brings it back."""
    wishes = {name: chosen[name] for name in ("backend", "memory", "libs", "order") if chosen.get(name)}
    return f"{address}?{urlencode(wishes)}" if wishes else address


@require_http_methods(["GET", "POST"])
def summary(request: HttpRequest, quote_id: str) -> HttpResponse:
    quote = quote_for(request.user, quote_id)
    if hasattr(quote, "order"):
        return redirect("order", quote.order.code)
    if request.method == "POST" and request.user.is_authenticated:
        return _place(request, quote)
    return render(request, "rental/check.html", _summary(request, quote))


def _place(request: HttpRequest, quote: Quote) -> HttpResponse:
    form_id = request.POST.get("form_id", "")[:64] or None
    try:
        order = ordering.place(person(request), quote.pk, form_id=form_id)
    except Refusal as refusal:
        return render(request, "rental/check.html", _summary(request, quote) | {"refusal": refusal}, status=409)
    request.session.pop(HELD, None)
    return redirect("pay-from-balance" if request.POST.get("pay_with") == "balance" else "pay", order.code)


def _summary(request: HttpRequest, quote: Quote) -> dict[str, object]:
    here = request.get_full_path()
    wishes = request.GET.urlencode()
    balance = balance_of(request.user).cents if request.user.is_authenticated else 0
    return {
        "quote": quote,
        "changes": quote.changes,
        "open": quote.is_open(timezone.now()),
        "bought": bought(quote),
        "change": f"{reverse('rent')}?{chooser.query_of(quote)}{'&' + wishes if wishes else ''}",
        "form_id": request.POST.get("form_id") or reference(),
        "balance_cents": balance,
        "covered": balance >= quote.total_cents,
        "next_query": urlencode({"next": here}),
        "payment_minutes": settings.PAYMENT_MINUTES,
        "delivery_hours": settings.DELIVERY_HOURS,
        "retention_days": settings.RETENTION_DAYS,
        "rules": rules.of_order(),
    }
