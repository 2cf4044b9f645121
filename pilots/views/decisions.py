"""Deciding on a pilot: the form, the check page, the page that stays."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from common.refusals import Refusal
from pilots import decisions, guards
from pilots.forms import DecisionForm
from pilots.models import Decision, Pilot
from pilots.presenters import decisionpage
from pilots.views.common import person, sent


def _kept(pilot: Pilot) -> str:
    """Where the session keeps what was written, between the form and the check page."""
    return f"decision:{pilot.ref}"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def decide(request: HttpRequest, ref: str) -> HttpResponse:
    """The newest try that has evidence, or the one named by `?try=`; what was written comes back from the session."""
    pilot = guards.pilot_for(request.user, ref)
    evidence = decisionpage.evidence_to_decide_on(pilot, number=_asked(request))
    if evidence is None:
        return render(request, "pilots/undecided.html", {"pilot": pilot})
    seen = {"try_number": evidence.run.number, "figures": decisionpage.figures(evidence.run)}
    form = DecisionForm(sent(request), initial={**request.session.get(_kept(pilot), {}), **seen})
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["figures"] == seen["figures"]:
            request.session[_kept(pilot)] = {**form.cleaned_data, "evidence": evidence.sha256}
            return redirect("decide_check", pilot.ref)
        form.add_error(None, _("The figures changed since you opened this page. Look at them again, then send it."))
    return render(request, "pilots/decide.html", _context(pilot, decisionpage.page(pilot, evidence), form=form, **seen))


def _asked(request: HttpRequest) -> int | None:
    told = request.POST.get("try_number") or request.GET.get("try", "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) < 9 else None


def _context(pilot: Pilot, page: decisionpage.DecisionPage, **more: Any) -> dict[str, Any]:
    return {"pilot": pilot, "page": page, "run": page.run, **more}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def check(request: HttpRequest, ref: str) -> HttpResponse:
    """Everything that will be kept, before it is."""
    pilot = guards.pilot_for(request.user, ref)
    draft = request.session.get(_kept(pilot))
    evidence = decisionpage.evidence_to_decide_on(pilot, sha256=draft["evidence"]) if draft else None
    if draft is None or evidence is None:
        return redirect("decide", pilot.ref)
    refusal: Refusal | None = None
    if request.method == "POST":
        try:
            return _record(request, pilot, draft)
        except Refusal as refused:
            refusal = refused
    page = decisionpage.page(pilot, evidence)
    context = _context(pilot, page, draft=draft, choice=page.choice(draft["choice"]), refusal=refusal)
    return render(request, "pilots/decide_check.html", context)


def _record(request: HttpRequest, pilot: Pilot, draft: dict[str, str]) -> HttpResponse:
    decision = decisions.decide(
        pilot,
        person(request),
        choice=draft["choice"],
        reason=draft["reason"],
        evidence_sha256=draft["evidence"],
    )
    request.session.pop(_kept(pilot), None)
    return redirect("decision", decision.pk)


@require_GET
@login_required
def decision(request: HttpRequest, pk: int) -> HttpResponse:
    """A decision as it was recorded. It prints on one sheet and is never edited."""
    found: Decision = guards.decision_for(request.user, pk)
    evidence = decisionpage.evidence_to_decide_on(found.pilot, sha256=found.evidence_sha256)
    page = decisionpage.page(found.pilot, evidence or found.evidence)
    context = _context(
        found.pilot,
        page,
        decision=found,
        choice=page.choice(found.choice),
        since=decisionpage.since(found, page),
        others=list(Decision.objects.filter(pilot=found.pilot).exclude(pk=found.pk).select_related("by")),
    )
    return render(request, "pilots/decision.html", context)
