"""The waiting list of one card, as its customer sees it."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from common.refusals import Refusal
from rental.catalogue import stock
from rental.forms import WaitingForm, refuse
from rental.guards import person
from rental.models import Card, Waiting
from rental.orders import waiting


@require_http_methods(["GET", "POST"])
@login_required
def wait(request: HttpRequest, slug: str) -> HttpResponse:
    card = Card.objects.on_sale().filter(slug=slug).first()
    if card is None:
        raise Http404
    mine = Waiting.objects.open().filter(customer_id=request.user.pk, card=card).select_related("quote").first()
    if request.method == "POST" and "leave" in request.POST:
        if waiting.leave(person(request), card):
            messages.success(request, _("You left the waiting list of %(card)s.") % {"card": card.name})
        return redirect("rent")
    form = WaitingForm(request.POST or None, initial=_wish(request, mine))
    if request.method == "POST" and form.is_valid():
        try:
            waiting.join(person(request), card, **form.cleaned_data)
        except Refusal as refusal:
            refuse(form, refusal)
        else:
            return redirect("rent_wait", card.slug)
    context = {
        "card": card,
        "form": form,
        "mine": mine,
        "before": waiting.before(mine) if mine else Waiting.objects.in_line().filter(card=card).count(),
        "free": max(stock.free_lots(card, timezone.now()), 0),
        "hours": settings.WAITING_HOURS,
    }
    return render(request, "rental/waiting.html", context, status=409 if form.errors else 200)


def _wish(request: HttpRequest, mine: Waiting | None) -> dict[str, Any]:
    """What the chooser showed, or what was wished before."""
    if mine is not None:
        return {"lots": mine.lots, "days": mine.days}
    return {"lots": request.GET.get("lots", "1")[:2], "days": request.GET.get("days", "7")[:2]}
