"""Letters of late deliveries: what the delay gave."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rental.letters.emails import letter, moment, order_link
from rental.letters.outbox import Page
from rental.models import Order


@letter("order:{code}:late-hours")
def hours_added(order: Order) -> Page:
    hours = order.late_hours
    added = ngettext("%(hours)d hour", "%(hours)d hours", hours) % {"hours": hours}
    return Page(
        _("Order %(code)s was late: we added %(hours)s to its term") % {"code": order.code, "hours": added},
        [
            _("We handed it over after the time we promised. The fault is ours."),
            _("Each started hour of delay adds one hour to your term, at no charge. You need not ask for it."),
        ],
        [
            (_("Order"), order.code),
            (_("Was promised by"), moment(order.promised_at, order)),
            (_("Delivered"), moment(order.delivered_at, order)),
            (_("Hours added"), added),
            (_("The term ends"), moment(order.ends_at, order)),
        ],
        order_link(order),
    )
