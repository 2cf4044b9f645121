"""Letters about the account itself that allauth does not write."""

from django.utils import translation
from django.utils.translation import gettext as _

from rental.letters.outbox import Page, write_page
from rental.models import User


def account_closed(user: User) -> bool:
    """The last letter: the outbox forgets it once it is sent."""
    with translation.override(user.language):
        page = Page(
            _("Your account is closed"),
            [
                _("Nobody can sign in with it any more. Your name, email, sessions, tokens and keys are erased."),
                _("Orders and the ledger stay without your name, because the books rest on them."),
                _("Was it not you? Write to the operator of this site at once."),
            ],
        )
        return write_page(f"account:closed:{user.pk}", user, page)
