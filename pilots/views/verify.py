"""Evidence read again from a copy that a customer kept."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from common.refusals import Refusal
from pilots import copies, guards
from pilots.forms import VerifyForm
from pilots.models import Reread
from pilots.views.common import person, sent

SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def index(request: HttpRequest) -> HttpResponse:
    form = VerifyForm(sent(request), request.FILES)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect("reread", copies.reread_copy(person(request), form.cleaned_data["archive"]).pk)
        except Refusal as refusal:
            form.add_error("archive", str(refusal.sentence))
    rows = Reread.objects.select_related("evidence__run__pilot").filter(by=person(request), source="copy")[:SHOWN]
    return render(request, "pilots/verify.html", {"form": form, "rereads": rows})


@require_GET
@login_required
def reread(request: HttpRequest, pk: int) -> HttpResponse:
    found = guards.reread_for(request.user, pk)
    return render(request, "pilots/reread.html", {"reread": found, "run": found.evidence.run})
