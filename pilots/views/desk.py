"""The operators' view of hosts and runs: who is silent, who may enrol, whose token ends."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from pilots import fleet
from pilots.forms import EnrolForm
from pilots.models import Host
from pilots.presenters import deskpage
from pilots.views.common import person, sent
from rental.guards import operators_only


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def hosts(request: HttpRequest) -> HttpResponse:
    """The word that lets a machine in is shown in this answer only, and kept as a hash."""
    form = EnrolForm(sent(request))
    plain = ""
    if request.method == "POST" and form.is_valid():
        try:
            plain = fleet.invite(form.cleaned_data["name"])
            setattr(request, "desk_acted", True)  # noqa: B010 - read by rental.desk.keeping
        except ValidationError as error:
            form.add_error("name", error)
    context = {"form": form, "plain": plain, "hosts": deskpage.hosts(), "enrolments": deskpage.enrolments()}
    return render(request, "pilots/desk/hosts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def revoke(request: HttpRequest, name: str) -> HttpResponse:
    host = Host.objects.filter(name=name, revoked_at=None).first()
    if host is None:
        raise Http404
    if request.method == "POST":
        fleet.revoke(host, by=person(request))
        messages.success(request, _("%(name)s was revoked. Its open runs were ended as lost.") % {"name": host.name})
        return redirect("desk_hosts")
    return render(request, "pilots/desk/revoke.html", {"host": host, "open": host.runs.filter(outcome="").count()})


@require_GET
@operators_only
def runs(request: HttpRequest) -> HttpResponse:
    wanting, going = deskpage.runs()
    return render(request, "pilots/desk/runs.html", {"wanting": wanting, "going": going})
