"""An estimate from the memory worksheet becomes an objective of a pilot."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from common.refusals import Refusal
from pilots import drafts, guards, objectives
from pilots.forms import ObjectiveForm
from pilots.models import Pilot
from pilots.views.common import person, sent, to
from rental.choosing.memory_page import between

PILOTS = 30


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def objective(request: HttpRequest) -> HttpResponse:
    found = objectives.estimate(request.GET, timezone.now())
    if found is None:
        messages.error(request, _("This worksheet gives no range. Correct its figures first."))
        return redirect(f"{reverse('rent_memory')}?{request.GET.urlencode()}")
    form = ObjectiveForm(sent(request), pilots=_choices(request))
    if request.method == "POST" and form.is_valid():
        pilot = _record(request, form, found)
        if pilot is not None:
            return to("pilot", pilot.ref)
    context = {"form": form, "amount": between(found.low, found.high), "worksheet": found.worksheet}
    return render(request, "pilots/objective.html", context)


def _choices(request: HttpRequest) -> list[tuple[str, str]]:
    rows = guards.pilots_of(request.user)[:PILOTS]
    words = _("%(title)s (%(state)s, version %(number)s)")
    return [
        (row.ref, words % {"title": row.title, "state": row.get_state_display(), "number": row.version}) for row in rows
    ]


def _record(request: HttpRequest, form: ObjectiveForm, found: objectives.Estimate) -> Pilot | None:
    chosen = form.cleaned_data["pilot"]
    try:
        if chosen == ObjectiveForm.NEW:
            pilot = drafts.create(person(request), title=form.cleaned_data["title"])
        else:
            pilot = guards.pilot_for(request.user, chosen)
        objectives.record(pilot, found, person(request))
        return pilot
    except Refusal as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.sentence))
        return None
