"""Where a person was going when asked to sign in: an order survives a password that had to be renewed first."""

import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

KEY = "going_to"


def remember_way(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Keep the `next` of a sign-in page: the letter with a new password's link leads back without it."""

    def inner(request: HttpRequest) -> HttpResponse:
        asked = request.method == "GET" and request.path in (reverse("account_login"), reverse("account_signup"))
        way = request.GET.get("next", "")[:500] if asked else ""
        if way and url_has_allowed_host_and_scheme(way, allowed_hosts=None):
            request.session[KEY] = [way, int(time.time())]
        return answer(request)

    return inner


def way_on(request: HttpRequest) -> str | None:
    """The way remembered, once, and only as long as a quote lives."""
    way, at = request.session.pop(KEY, ("", 0))
    return way if way and time.time() - at < settings.QUOTE_MINUTES * 60 else None
