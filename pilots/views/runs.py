"""One run: its page, the live part of it, its acts, its files."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET, require_POST

from pilots import guards, runs, shipped
from pilots.presenters import logs, runpage
from pilots.presenters.sheets import sheet_csv, sheet_json
from pilots.views.common import attempt, download, download_bytes, person, to


def _language() -> str:
    return translation.get_language() or "en"


@require_GET
@login_required
def run(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.run_for(request.user, ref)
    page = runpage.page(found)
    context = {
        "run": found,
        "page": page,
        "live": page.live,
        "etag": runpage.etag(found, _language()),
        "retention_days": settings.RETENTION_DAYS,
    }
    return render(request, "pilots/run.html", context)


@require_GET
def live(request: HttpRequest, ref: str) -> HttpResponse:
    """The live part for htmx: 304 while nothing moved; the whole page anew once the run is final."""
    # No redirect to the sign-in page here: a poll would put that page inside of this one.
    found = guards.run_for(request.user, ref)
    if found.is_final:
        return HttpResponse(headers={"HX-Refresh": "true"})
    etag = runpage.etag(found, _language())
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None and unchanged.status_code == 304:
        return unchanged
    context = {"run": found, "live": runpage.live(found), "etag": etag}
    response = render(request, "pilots/run/live.html", context)
    response["ETag"] = etag
    return response


@require_POST
@login_required
def cancel(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.run_for(request.user, ref)
    attempt(request, lambda: runs.cancel(found, person(request)))
    return to("run", found.ref)


@require_POST
@login_required
def resume(request: HttpRequest, ref: str) -> HttpResponse:
    found = guards.run_for(request.user, ref)
    made = attempt(request, lambda: runs.resume(found, person(request)))
    return to("run", made.ref if made else found.ref)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 16 else otherwise


@require_GET
@login_required
def log(request: HttpRequest, ref: str, name: str) -> HttpResponse:
    """A shipped file as text with line links; a line in the address opens its page."""
    found = guards.run_for(request.user, ref)
    try_attempt = _number(request.GET.get("attempt"), 0) or None
    path = shipped.path(found, name, try_attempt)
    first = (found.first_error or {}) if isinstance(found.first_error, dict) else {}
    marked = first.get("line") if first.get("file") == name else None
    page = logs.page_of(path, _number(request.GET.get("line"), 1), first_error=marked)
    context = {"run": found, "name": name, "page": page, "attempt": try_attempt, "marked": marked}
    return render(request, "pilots/log.html", context)


@require_GET
@login_required
def file(request: HttpRequest, ref: str, name: str) -> StreamingHttpResponse:
    found = guards.run_for(request.user, ref)
    path = shipped.path(found, name, _number(request.GET.get("attempt"), 0) or None)
    return download(path, f"{found.ref[:8].lower()}-try-{found.number}-{name}")


@require_GET
@login_required
def evidence(request: HttpRequest, ref: str) -> StreamingHttpResponse:
    found = guards.evidence_for(request.user, ref, _number(request.GET.get("number"), 0) or None)
    return download(found.disk_path, found.file_name, "application/zip")


@require_GET
@login_required
def sheet_as_json(request: HttpRequest, ref: str) -> StreamingHttpResponse:
    found = guards.run_for(request.user, ref)
    return download_bytes(
        sheet_json(found), f"{found.ref[:8].lower()}-try-{found.number}-sheet.json", "application/json"
    )


@require_GET
@login_required
def sheet_as_csv(request: HttpRequest, ref: str) -> StreamingHttpResponse:
    found = guards.run_for(request.user, ref)
    return download_bytes(sheet_csv(found), f"{found.ref[:8].lower()}-try-{found.number}-sheet.csv", "text/csv")
