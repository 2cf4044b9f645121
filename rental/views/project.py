"""From a project's own file to a backend."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from rental.choosing import project_page
from rental.choosing.carried import carried

# The lines of the last file looked through: for the eyes of whoever sent it, and replaced by the next one.
LINES = "project_lines"


@require_http_methods(["GET", "HEAD", "POST"])
def project(request: HttpRequest) -> HttpResponse:
    kept = urlencode({name: value for name, value in carried(request.GET).items() if name not in ("libs", "backend")})
    sent = request.method == "POST"
    form = project_page.ProjectForm(request.POST, request.FILES) if sent else project_page.ProjectForm()
    if sent and form.is_valid():
        looked = project_page.look(form)
        if looked is not None:
            request.session[LINES] = looked.session
            return redirect(f"{reverse('rent_project')}?{looked.query}{'&' + kept if kept else ''}")
    shown = {"form": form, "kept": kept, "most_lines": project_page.KEPT_LINES}
    if not sent and "libs" in request.GET:
        shown["result"] = project_page.result(request.GET, request.session.get(LINES))
    return render(request, "rental/project.html", shown, status=422 if form.errors else 200)
