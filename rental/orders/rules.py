"""What may be cancelled, what goes back, and what a late delivery gives: one source for the acts and for every page."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import number
from rental.orders import downtime

if TYPE_CHECKING:
    from rental.models import Order


@dataclass(frozen=True)
class Rule:
    when: str
    what: str
    small: str = ""


def late_cancel_hours() -> int:
    """How many hours after a missed promise the customer may cancel although the machine is being prepared."""
    return int(settings.LATE_CANCEL_HOURS)


def cancellable_from(order: "Order") -> datetime | None:
    """From when a paid order that is being prepared may be cancelled by its customer."""
    return order.promised_at + timedelta(hours=late_cancel_hours()) if order.promised_at else None


def may_cancel(order: "Order", now: datetime) -> bool:
    """Whether its customer may cancel it now. Once paid, cancelling gives the whole price back."""
    if order.state != "preparing":
        return order.state in ("placed", "paid")
    late = cancellable_from(order)
    return late is not None and late <= now


def of_order() -> list[Rule]:
    """The rules of cancelling and of lateness, in the order in which an order meets them."""
    return [
        Rule(_("Not paid yet"), _("You can cancel or change it at any time, and nothing is charged.")),
        Rule(
            _("Paid, not yet being prepared"),
            _("You can cancel it yourself. The whole price goes back to your balance at once."),
        ),
        Rule(
            _("Being prepared"),
            being_prepared(),
            _("We can give the whole price back at any time before the handover, with the reason."),
        ),
        Rule(
            _("Delivered late"),
            late_delivery(),
            _("Counted from the promised time to the handover, and added at the handover without your asking."),
        ),
        Rule(_("Handed over"), _("It can no longer be cancelled, and a term that has begun is not refunded.")),
        Rule(_("Down during the term"), downtime_credit(), downtime_details()),
    ]


def being_prepared() -> str:
    hours = late_cancel_hours()
    return ngettext(
        "You can cancel it once its delivery is %(hours)s hour late. The whole price goes back then too.",
        "You can cancel it once its delivery is %(hours)s hours late. The whole price goes back then too.",
        hours,
    ) % {"hours": number(hours)}


def downtime_credit() -> str:
    return _("Time down is credited to your balance: price of a lot × time down × lots down ÷ time of the term.")


def downtime_details() -> str:
    """What of the formula in `rental.orders.downtime` a customer may want to know beforehand."""
    minutes = downtime.SHORTEST // timedelta(minutes=1)
    return _(
        "From the first to the last moment that an operator found it down, rounded down to a cent. Shorter than "
        "%(minutes)s minutes is not credited, what overlaps counts once, and never more goes back than was charged."
    ) % {"minutes": number(minutes)}


def late_delivery() -> str:
    return _("Each started hour of delay adds one hour to your term, at no charge.")
