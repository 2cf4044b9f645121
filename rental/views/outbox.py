"""The letters this house wrote, to read on the screen; a demo sends none to anybody."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from rental.models import Letter

SHOWN = 100


def _demo_only() -> None:
    # In production these are other people's letters: there is no such page.
    if not settings.DEMO:
        raise Http404


@never_cache
@require_GET
def outbox(request: HttpRequest) -> HttpResponse:
    _demo_only()
    letters = list(Letter.objects.order_by("-pk").defer("text", "html")[: SHOWN + 1])
    return render(request, "rental/outbox.html", {"letters": letters[:SHOWN], "more": len(letters) > SHOWN})


@never_cache
@require_GET
def letter(request: HttpRequest, number: int) -> HttpResponse:
    _demo_only()
    return render(request, "rental/outbox_letter.html", {"letter": get_object_or_404(Letter, pk=number)})
