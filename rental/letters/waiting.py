"""The letter of the waiting list: lots came free and are held."""

from django.utils import translation
from django.utils.translation import gettext as _

from common.formats import usd, when
from rental.letters.outbox import Page, write_page
from rental.models import Quote, Waiting


def offered(row: Waiting, quote: Quote) -> bool:
    """Once per offer, in the customer's language."""
    reader = row.customer
    with translation.override(reader.language):
        zone = reader.time_zone
        until = when(quote.expires_at)
        if zone != "UTC":
            until = f"{until} ({when(quote.expires_at, zone)})"
        page = Page(
            _("%(card)s is free: held for you until %(until)s")
            % {"card": row.card.name, "until": when(quote.expires_at)},
            [
                _("You waited for this card, and so many lots came free. They are held for you at the price below."),
                _("Nothing is charged unless you order. If you do not, they go to the next person."),
            ],
            [
                (_("Card"), row.card.name),
                (_("Lots"), str(quote.lots)),
                (_("Total"), usd(quote.total_cents)),
                (_("Held until"), until),
            ],
            (_("Check this order"), f"/rent/check/{quote.pk}"),
        )
        return write_page(f"waiting:{row.pk}:{quote.pk}", reader, page)
