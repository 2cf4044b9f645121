"""Keeps one row for each act at the desk, page or API, in the act's own transaction."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from rental.models import OperatorAct, User

DESKS = {"/desk/": OperatorAct.Way.PAGE, "/api/v1/desk/": OperatorAct.Way.API}
# Never kept: what opens a machine or a session, and what says nothing.
LEFT_OUT = frozenset({"access", "csrfmiddlewaretoken", "form_id", "sure", "password", "code"})
REASONS = ("reason", "no-reason", "evidence", "note", "answer")
LONGEST = 500


def desk_acts(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a POST to the desk and the row that tells of it are one transaction; a refused one leaves none."""

    def inner(request: HttpRequest) -> HttpResponse:
        way = next((way for start, way in DESKS.items() if request.path.startswith(start)), None)
        if way is None or request.method != "POST":
            return get_response(request)
        with transaction.atomic():
            response = get_response(request)
            user = request.user
            done = response.status_code < 400 and not getattr(request, "desk_refused", False)
            if done and isinstance(user, User) and user.is_staff and _changed(request, response, way):
                keep(request, user, way)
            return response

    return inner


def _changed(request: HttpRequest, response: HttpResponse, way: str) -> bool:
    """A page that only shows what would be done answers 200; an act redirects, or says that it acted."""
    if way == OperatorAct.Way.API:
        return True
    return response.status_code in (302, 303) or getattr(request, "desk_acted", False)


def keep(request: HttpRequest, by: User, way: str) -> OperatorAct:
    match = request.resolver_match
    about = " ".join(str(value) for value in match.kwargs.values()) if match else ""
    typed = {name: _short(request.POST.getlist(name)) for name in request.POST if name not in LEFT_OUT}
    reason = next((text for name in REASONS if (text := typed.pop(name, ""))), "")
    act = (match.url_name or match.view_name) if match else request.path
    return OperatorAct.objects.create(by=by, act=act[:60], about=about[:120], reason=reason, data=typed, way=way)


def _short(values: list[Any]) -> str:
    return ", ".join(str(value) for value in values)[:LONGEST]
