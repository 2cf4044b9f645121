"""Letters to operators: what waits for a second one."""

from django.utils import translation
from django.utils.translation import gettext as _

from common.formats import usd, when
from rental.letters.outbox import Page, write_page
from rental.models import Approval, User


def approval_asked(row: Approval, reader: User) -> bool:
    """To every other operator, in their language."""
    with translation.override(reader.language):
        page = Page(
            _("%(what)s: %(amount)s waits for a second operator")
            % {"what": row.get_kind_display(), "amount": usd(row.cents)},
            [_("One operator asked for it. Nothing was done yet: look at the reason, then do it or refuse it.")],
            [
                (_("About"), row.about),
                (_("Amount"), usd(row.cents)),
                (_("Reason"), row.reason[:500]),
                (_("Asked by"), row.asked_by.email),
                (_("Waits until"), when(row.expires_at)),
            ],
            (_("Look at it"), f"/desk/approvals/{row.pk}"),
        )
        return write_page(f"approval:{row.pk}:{reader.pk}", reader, page)
