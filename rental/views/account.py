"""The account: balance and ledger, orders, details, ways in."""

from typing import Any, cast

from allauth.account.decorators import reauthentication_required
from allauth.core import ratelimit
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.mfa.webauthn.views import remove_webauthn
from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing import statements
from billing.ledger import balance_of
from common.codes import reference
from common.models import ApiToken
from common.refusals import Refusal
from rental.accounts import closing, ssh_keys
from rental.accounts.adapter import MFAAdapter
from rental.accounts.forms import CloseForm
from rental.accounts.profile_forms import NameForm, TokenForm, ZoneForm
from rental.guards import is_operator
from rental.models import Order, User
from rental.orders import timeline
from rental.orders.bought import in_short
from rental.orders.vocabulary import describe

LEDGER, ORDERS = 20, 10
# The id of the token form last shown: sending the same page twice makes one token.
FORM = "token_form"


@require_GET
@login_required
def account(request: HttpRequest) -> HttpResponse:
    user = person(request)
    rows = list(statements.postings_of(user).order_by("-pk")[: LEDGER + 1])
    facts = {
        "now": timezone.now(),
        "balance": balance_of(user),
        "terms": statements.terms_of(user),
        "entries": [statements.entry(row, user) for row in rows[:LEDGER]],
        "older": len(rows) > LEDGER,
        **orders_of(user),
        **ways_in(user),
    }
    return render(request, "rental/account.html", facts)


def orders_of(user: User) -> dict[str, Any]:
    """The newest orders with their states in words, and the one that waits for money."""
    now = timezone.now()
    rows = list(Order.objects.filter(customer_id=user.pk).select_related("card")[: ORDERS + 1])
    money = timeline.money_of(order.code for order in rows if order.state == Order.State.PLACED)
    lines = [
        {"order": order, "short": in_short(order), "state": describe(order, now, money.get(order.code, "waiting"))}
        for order in rows[:ORDERS]
    ]
    waiting = next((order for order in rows if order.state == Order.State.PLACED), None)
    return {"orders": lines, "more_orders": len(rows) > ORDERS, "waiting": waiting}


def ways_in(user: User) -> dict[str, Any]:
    live = ApiToken.objects.filter(owner_id=user.pk, revoked_at=None, expires_at__gt=timezone.now())
    return {
        "email_confirmed": user.email_confirmed,
        "passkeys": Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.WEBAUTHN).count(),
        "second_factor": is_mfa_enabled(user),
        "sessions": UserSession.objects.filter(user_id=user.pk).count(),
        "tokens": live.count(),
        "ssh_keys": len(ssh_keys.of(user)),
    }


@require_http_methods(["GET", "POST"])
@login_required
def name(request: HttpRequest) -> HttpResponse:
    form = NameForm(request.POST or None, instance=fresh(request))
    if form.is_valid():
        form.save()
        messages.success(request, _("Your name was changed."))
        return redirect("account")
    return render(request, "rental/account_name.html", {"form": form})


@require_http_methods(["GET", "POST"])
@login_required
def time_zone(request: HttpRequest) -> HttpResponse:
    form = ZoneForm(request.POST or None, instance=fresh(request))
    if form.is_valid():
        form.save()
        messages.success(request, _("Your time zone was changed."))
        return redirect("account")
    return render(request, "rental/account_zone.html", {"form": form})


@require_http_methods(["GET", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def tokens(request: HttpRequest) -> HttpResponse:
    """The account's API tokens; POST makes one and shows it, this once.

    It waits for a confirmed address, as the access does.
    The desk is given to a token only in a session that passed the second factor: a password alone opens no desk.
    """
    confirmed = person(request).email_confirmed
    form = TokenForm((request.POST or None) if confirmed else None, owner=person(request), at_desk=is_operator(request))
    if form.is_valid():
        if request.POST.get("form_id") != request.session.pop(FORM, None):
            messages.info(request, _("This form was sent already. The token was shown then and cannot be shown again."))
            return redirect("account_tokens")
        row, plain = form.issue()
        return render(request, "rental/account_token.html", {"token": row, "plain": plain})
    request.session[FORM] = form_id = reference()
    listed = ApiToken.objects.filter(owner_id=request.user.pk).order_by("-pk")[:50]
    facts = {"form": form, "form_id": form_id, "tokens": listed, "now": timezone.now(), "confirmed": confirmed}
    return render(request, "rental/account_tokens.html", facts)


@require_POST
@login_required
def revoke(request: HttpRequest, number: int) -> HttpResponse:
    row = get_object_or_404(ApiToken, pk=number, owner_id=request.user.pk)
    ApiToken.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now())
    messages.success(request, _("The token %(name)s does not work any more.") % {"name": row.name})
    return redirect("account_tokens")


@require_http_methods(["GET", "POST"])
@login_required
def close(request: HttpRequest) -> HttpResponse:
    """Say what closing means; with the password, close."""
    user, refusal = person(request), None
    # Counted before the password is looked at: a stranger at this browser does not guess it here.
    limited = request.method == "POST" and not ratelimit.consume(request, action="reauthenticate", user=user)
    if limited:
        return render(request, "common/429.html", status=429)
    form = CloseForm(request.POST or None, user=user)
    if form.is_valid():
        try:
            closing.close(user)
        except Refusal as error:
            refusal = error
        else:
            logout(request)
            messages.success(request, _("Your account is closed."))
            return redirect("home")
    facts = {"form": form, "refusal": refusal, "waits": closing.refusal(user), "days": closing.kept_days()}
    return render(request, "rental/account_close.html", facts, status=409 if refusal else 200)


@require_http_methods(["GET", "POST"])
@login_required
def remove_passkey(request: HttpRequest, pk: int) -> HttpResponse:
    """allauth's page, which an operator's last second factor never reaches."""
    others = Authenticator.objects.filter(user_id=request.user.pk).exclude(type=Authenticator.Type.RECOVERY_CODES)
    if person(request).is_staff and not others.exclude(pk=pk).exists():
        messages.error(request, str(MFAAdapter.error_messages["cannot_delete_authenticator"]))
        return redirect("mfa_list_webauthn")
    return cast(HttpResponse, remove_webauthn(request, pk=pk))


@require_POST
@login_required
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    row = get_object_or_404(UserSession, pk=number, user_id=request.user.pk)
    end_sessions(request, [row])
    messages.success(request, _("The session was ended."))
    return redirect("usersessions_list")


def person(request: HttpRequest) -> User:
    """The signed-in person: every page here asks for the sign-in first."""
    return cast(User, request.user)


def fresh(request: HttpRequest) -> User:
    """The person's own row once more, so that a form refused later leaves `request.user` as it was."""
    return User.objects.get(pk=person(request).pk)
