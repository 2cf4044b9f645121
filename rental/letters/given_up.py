"""Letters of orders that were given up by their customers."""

from django.utils.translation import gettext as _

from common.formats import usd
from rental.letters.emails import bought, letter, moment, order_link
from rental.letters.outbox import Page
from rental.models import Order


@letter("order:{code}:cancelled-paid")
def cancelled_paid(order: Order) -> Page:
    return Page(
        _("You cancelled order %(code)s: its price is back on your balance") % {"code": order.code},
        [
            _("The whole price below went back to your balance in the moment you cancelled. No machine is prepared."),
            _("It pays any other order or extension here."),
        ],
        [*bought(order), (_("Back on your balance"), usd(order.total_cents))],
        (_("See your balance"), "/account/"),
    )


@letter("order:{code}:replaced")
def replaced(order: Order, successor: Order) -> Page:
    return Page(
        _("Order %(old)s took the place of order %(code)s") % {"old": successor.code, "code": order.code},
        [
            _("You changed your order before it was paid. Nothing was charged for the old one."),
            _("Already sent money for the old one? It goes to your balance and pays the new one. Do not send again."),
        ],
        [*bought(successor), (_("Replaces"), order.code), (_("Pay until"), moment(successor.pay_until, successor))],
        order_link(successor),
    )
