"""Two sheets beside the chooser: what a card must hold, and how long a rental must last."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from rental.choosing import memory_page, plan_page


@require_safe
def memory(request: HttpRequest) -> HttpResponse:
    page = memory_page.read(request.GET, timezone.now())
    return render(request, "rental/memory.html", {"page": page, "form": page.form})


@require_safe
def plan(request: HttpRequest) -> HttpResponse:
    return render(request, "rental/plan.html", plan_page.read(request.GET))
