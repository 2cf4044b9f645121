"""Step-up: acts on money want a second factor given minutes ago, and lose nothing of what was typed before it."""

import functools
import time
from typing import Any

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from rental.guards import View, operators_only, second_factor_url

KEPT = "desk-kept"


def is_fresh(request: HttpRequest) -> bool:
    """Whether the second factor was given in the last STEP_UP_MINUTES."""
    oldest = time.time() - settings.STEP_UP_MINUTES * 60
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" and record.get("at", 0) > oldest for record in records)


def money_act(view: View) -> View:
    """The desk's door to money. A form sent with an old second factor comes back filled in after the new one."""

    @operators_only
    @functools.wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_fresh(request):
            return view(request, *args, **kwargs)
        if request.method == "POST":
            typed = {name: request.POST.getlist(name) for name in request.POST if name != "csrfmiddlewaretoken"}
            request.session[KEPT] = {"path": request.path, "typed": typed}
            setattr(request, "desk_refused", True)  # noqa: B010 - read by rental.desk.keeping
        return HttpResponseRedirect(second_factor_url(request))

    return inner


def kept(request: HttpRequest) -> dict[str, Any]:
    """What was typed on this page before the second factor was asked for: initial values of its form, once."""
    found = request.session.get(KEPT)
    if request.method != "GET" or not found or found["path"] != request.path:
        return {}
    del request.session[KEPT]
    return {name: values[0] if len(values) == 1 else values for name, values in found["typed"].items()}
