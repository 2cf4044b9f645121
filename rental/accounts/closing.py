"""Closing an account: its person leaves, its orders and its ledger stay."""

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.ledger import balance_of
from common.formats import usd
from common.models import ApiToken
from common.refusals import Refusal
from rental.models import Order, User


def close(user: User) -> None:
    """End every way into the account.

    Raises: Refusal `orders_open` or `balance_left` while something is still owed either way.
    """
    with transaction.atomic():
        # The row is held, so that no order is placed between the look and the end.
        User.objects.select_for_update().get(pk=user.pk)
        if Order.objects.filter(customer=user).live().exists():
            raise Refusal("orders_open", _("An order is still going on. Close the account once it has ended."))
        left = balance_of(user).cents
        if left:
            raise Refusal(
                "balance_left",
                _("Your balance still holds %(left)s. Ask the operator about it first.") % {"left": usd(left)},
                data={"balance_cents": left},
            )
        ApiToken.objects.filter(owner=user, revoked_at=None).update(revoked_at=timezone.now())
        User.objects.filter(pk=user.pk).update(is_active=False)
    for session in UserSession.objects.filter(user=user):
        session.end()
