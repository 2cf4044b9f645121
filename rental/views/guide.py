"""Home, guide and the pages that explain: what the service does, each step linked to its page."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rental.guide import downloads, exhibit, ladder
from rental.orders import rules


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "rental/home.html", {"downloads": downloads.offered(), "exhibit": exhibit.recorded()})


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    file = "kernodeck-diagnose.py" if downloads.diagnostic() else ""
    return render(request, "rental/guide/guide.html", {"rungs": ladder.OF_EVERY_RUN, "diagnostic": file})


@require_safe
def explain(request: HttpRequest, topic: str) -> HttpResponse:
    """Help, terms, what is kept, how things are counted: prose with the figures this site really uses."""
    figures = {
        "quote_time": timedelta(minutes=settings.QUOTE_MINUTES),
        "waiting_time": timedelta(hours=settings.WAITING_HOURS),
        "payment_time": timedelta(minutes=settings.PAYMENT_MINUTES),
        "lapse_time": timedelta(minutes=settings.LAPSE_GRACE_MINUTES),
        "grace_time": timedelta(minutes=settings.LATE_GRACE_MINUTES),
        "delivery_hours": settings.DELIVERY_HOURS,
        "retention_days": settings.RETENTION_DAYS,
        "contact": settings.CONTACT_EMAIL,
        "rules": rules.of_order(),
        "late_rule": rules.late_delivery(),
        "prepared_rule": rules.being_prepared(),
    }
    return render(request, f"rental/{topic}.html", figures)


@require_safe
def download(request: HttpRequest, name: str) -> HttpResponse:
    file = downloads.DOWNLOADS.get(name)
    body = file.read() if file else b""
    if not file or not body:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return HttpResponse(body, content_type=file.kind, headers=headers)
