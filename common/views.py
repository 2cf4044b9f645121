"""Error pages: plain words, the site's look, no traceback."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from common.api.problems import problem

log = logging.getLogger(__name__)
LAST_WORDS = "<!doctype html><title>Error 500</title><h1>Error 500</h1><p>Something failed on our side. Try again."


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem(
            400, "bad_request", _("This request cannot be read. Send JSON, or a form where a file is asked for.")
        )
    # The host may be the very thing that is wrong: nothing here reads it, the session or the database.
    return HttpResponse(render_to_string("common/400.html"), status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "common/403.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    log.warning("csrf check failed: %s", reason)
    return render(request, "common/csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem(404, "not_found", _("There is nothing at this address. Look at the API's description."))
    return render(request, "common/404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem(500, "server_error", _("Something failed on our side and was undone as a whole. Try again."))
    # Without the request no context processor runs, so this page needs neither session nor database.
    body: str
    try:
        body = render_to_string("common/500.html")
    except Exception:
        log.exception("the error page itself failed")
        body = LAST_WORDS
    return HttpResponse(body, status=500)


def too_many(request: HttpRequest) -> HttpResponse:
    return render(request, "common/429.html", status=429)
