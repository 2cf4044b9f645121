"""Closing an account: its person is erased, its orders and its ledger stay without a name."""

import secrets

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.ledger import balance_of
from common.formats import usd
from common.models import ApiToken
from common.refusals import Refusal
from rental.letters import security
from rental.models import Letter, Order, Quote, SshKey, User, Waiting


def refusal(user: User) -> Refusal | None:
    """What must be done before the account can be closed."""
    if user.is_staff:
        return Refusal(
            "operator_account",
            _("An operator's name stands in the books. Another operator takes the desk away from you first."),
        )
    if Order.objects.filter(customer=user).live().exists():
        return Refusal(
            "orders_open", _("An order is still going on. Cancel it, or close the account once it has ended.")
        )
    left = balance_of(user).cents
    if left:
        return Refusal(
            "balance_left",
            _("Your balance still holds %(left)s. Ask the operator about it first.") % {"left": usd(left)},
            data={"balance_cents": left},
        )
    return None


def close(user: User) -> None:
    """End every way into the account and erase its person.

    Raises: Refusal `operator_account`, `orders_open` or `balance_left` while something is still owed either way.
    """
    with transaction.atomic():
        # The row is held, so that no order is placed between the look and the end.
        held = User.objects.select_for_update().get(pk=user.pk)
        found = refusal(held)
        if found:
            raise found
        addresses = [held.email, *EmailAddress.objects.filter(user=held).values_list("email", flat=True)]
        forget_letters(addresses)
        security.account_closed(held)
        for session in UserSession.objects.filter(user=held):
            session.end()
        for rows in (EmailAddress, Authenticator):
            rows.objects.filter(user=held).delete()
        ApiToken.objects.filter(owner=held).delete()
        SshKey.objects.filter(customer=held).delete()
        Waiting.objects.filter(customer=held, outcome="").update(outcome=Waiting.Outcome.LEFT, closed_at=timezone.now())
        Quote.objects.filter(customer=held, order=None).update(preparation_note="")
        User.objects.filter(pk=held.pk).update(
            is_active=False,
            email=f"closed-{secrets.token_hex(8)}@closed.invalid",
            first_name="",
            last_name="",
            time_zone="UTC",
            password=make_password(None),
            last_login=None,
        )


def forget_letters(addresses: list[str]) -> None:
    """What was written to these addresses; that it was written stays, so that nothing is told twice."""
    own = Q()
    for address in addresses:
        own |= Q(to__iexact=address)
    Letter.objects.filter(own, sent_at=None).delete()
    Letter.objects.filter(own).update(to="", subject="", text="", html="", last_error="")


def kept_days() -> int:
    """How long evidence stays after the end of its order."""
    return int(settings.RETENTION_DAYS)
