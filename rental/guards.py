"""The only doors to a customer's rows and to the desk: a stranger meets 404."""

import functools
import re
import time
from collections.abc import Callable
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from common.codes import ALPHABET
from common.refusals import Refusal
from rental.models import Order, Quote, User
from rental.orders.quoting import is_id

CODE = re.compile(rf"[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}")
View = Callable[..., HttpResponse]


def order_for(user: Any, code: str) -> Order:
    """The customer's own order, or 404."""
    if not user.is_authenticated:
        raise Http404
    return _order(code, customer_id=user.pk)


def order_at_desk(user: Any, code: str) -> Order:
    """Any customer's order, for an operator. The caller has passed `operator` or the `desk` scope."""
    if not (user.is_authenticated and user.is_active and user.is_staff):
        raise Http404
    return _order(code)


def _order(code: str, **own: Any) -> Order:
    # Only what can be a code reaches the database: a NUL in the address would be its error, not a 404.
    code = code.upper()
    rows = Order.objects.select_related("card", "customer", "replaces")
    order = rows.filter(code=code, **own).first() if CODE.fullmatch(code) else None
    if order is None:
        raise Http404
    return order


def quote_for(user: Any, quote_id: str) -> Quote:
    """A quote of one's own, or an unclaimed one whose id one holds."""
    quote = Quote.objects.select_related("card", "changes").filter(pk=quote_id).first() if is_id(quote_id) else None
    own = user.pk if user is not None and user.is_authenticated else None
    if quote is None or (quote.customer_id is not None and quote.customer_id != own):
        raise Http404
    return quote


def used_second_factor(request: HttpRequest) -> bool:
    """Whether this session passed the second factor, and not too long ago."""
    oldest = time.time() - settings.DESK_SESSION_HOURS * 3600
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" and record.get("at", 0) > oldest for record in records)


def is_operator(request: HttpRequest) -> bool:
    """Staff who used a second factor in this session."""
    user = request.user
    return user.is_authenticated and user.is_active and user.is_staff and used_second_factor(request)


def operator(request: HttpRequest) -> User:
    """The operator behind this request: staff who used a second factor in this session."""
    user = request.user
    if not (user.is_authenticated and user.is_active and user.is_staff):
        raise Http404
    if not used_second_factor(request):
        raise Refusal(
            "second_factor_needed",
            _("The desk opens only with your second factor. Confirm it, then come back."),
            status=403,
        )
    return user


def operators_only(view: View) -> View:
    """The desk's door: strangers meet 404, an operator without second factor is sent to give it."""

    @functools.wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            operator(request)
        except Refusal:
            return HttpResponseRedirect(second_factor_url(request))
        return view(request, *args, **kwargs)

    return inner


def second_factor_url(request: HttpRequest) -> str:
    """Where to give the second factor, or to set one up when there is none yet; then back to this page."""
    name = "mfa_reauthenticate" if is_mfa_enabled(request.user) else "mfa_activate_totp"
    return f"{reverse(name)}?{urlencode({'next': request.get_full_path()})}"


def person(request: HttpRequest) -> User:
    """The signed-in person behind a request that a token or a sign-in has already let through."""
    user = request.user
    if not user.is_authenticated:
        raise Http404
    return user
