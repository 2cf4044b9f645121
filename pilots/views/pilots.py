"""Pilots: the list, a new one from an archive, and one with its tries."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from common.refusals import Refusal
from pilots import drafts, guards, projects
from pilots.forms import PilotForm, ProjectForm
from pilots.models import Pilot, Project
from pilots.presenters import pilotpage, places
from pilots.runs import start
from pilots.views.common import attempt, person, sent, to


@require_GET
@login_required
def index(request: HttpRequest) -> HttpResponse:
    page = pilotpage.index(guards.pilots_of(request.user), request.GET.get("after", ""))
    return render(request, "pilots/index.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    form = ProjectForm(sent(request), request.FILES)
    if request.method == "POST" and form.is_valid():
        try:
            project = projects.receive(person(request), form.cleaned_data["archive"])
            return redirect(_project_address(project, request.GET.get("of", "")))
        except Refusal as refusal:
            form.add_error("archive", str(refusal.sentence))
    return render(request, "pilots/new.html", {"form": form, "max_bytes": settings.PROJECT_MAX_BYTES})


def _project_address(project: Project, of: str) -> str:
    """The report's address; `of` is the pilot whose next version the archive is for."""
    address = reverse("project", args=[project.ref])
    return f"{address}?{urlencode({'of': of})}" if of else address


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def project(request: HttpRequest, ref: str) -> HttpResponse:
    """The preflight report, and below it the form that freezes the spec."""
    found = guards.project_for(request.user, ref)
    offered = places.of(request.user)
    previous = guards.pilot_for(request.user, request.GET["of"]) if request.GET.get("of") else None
    title = previous.title if previous else places.title_of(found)
    form = PilotForm(sent(request), places=places.choices(offered), initial={"title": title})
    if request.method == "POST" and form.is_valid() and found.can_be_frozen:
        pilot = _freeze(request, form, found, offered, previous)
        if pilot is not None:
            return redirect("pilot", pilot.ref)
    context = {
        "project": found,
        "report": pilotpage.report(found),
        "form": form,
        "places": offered,
        "previous": previous,
    }
    return render(request, "pilots/project.html", context)


def _freeze(
    request: HttpRequest, form: PilotForm, project: Project, offered: list[places.Place], previous: Pilot | None
) -> Pilot | None:
    place = places.chosen(offered, form.cleaned_data["place"])
    where: dict[str, Any] = {"order": place.order, "host": place.host} if place else {}
    where["previous"] = previous
    try:
        return drafts.create(person(request), title=form.cleaned_data["title"], project=project, **where)
    except Refusal as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.sentence))
        return None


@require_GET
@login_required
def pilot(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.pilot_for(request.user, ref)
    return render(request, "pilots/pilot.html", {"pilot": found, "page": pilotpage.page(found, request.user)})


@require_POST
@login_required
def place(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.pilot_for(request.user, ref)
    where = places.chosen(places.of(request.user), request.POST.get("place", ""))
    if where is not None:
        attempt(request, lambda: drafts.place(found, order=where.order, host=where.host))
    return to("pilot", found.ref)


@require_POST
@login_required
def run_start(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.pilot_for(request.user, ref)
    run = attempt(request, lambda: start(found, person(request)))
    return to("run", run.ref) if run else to("pilot", found.ref)
