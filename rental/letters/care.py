"""Letters of a running and an ended term: faults, credits for time down, wiping."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import usd
from rental.letters.emails import letter, moment, order_link
from rental.letters.outbox import Page
from rental.models import Downtime, FaultReport, Order, Wipe


@letter("order:{code}:fault:{0}")
def fault_received(order: Order, report: FaultReport) -> Page:
    return Page(
        _("We received your fault report for order %(code)s") % {"code": order.code},
        [
            _("An operator looks at the machine and answers you. Your report alone credits nothing yet."),
            _("The term goes on meanwhile. Time that the machine was down is credited by the rule on its page."),
        ],
        [
            (_("Order"), order.code),
            (_("Does not work since"), moment(report.since, order)),
            (_("Reported"), moment(report.reported_at, order)),
            (_("What you wrote"), report.text[:300]),
        ],
        order_link(order),
    )


@letter("order:{code}:fault:{0}:refused")
def fault_refused(order: Order, report: FaultReport) -> Page:
    return Page(
        _("We did not find the fault you reported for order %(code)s") % {"code": order.code},
        [
            _("What we found is below. Nothing was credited."),
            _("Does it still not work? Report it again with what you see: it is looked at anew."),
        ],
        [(_("Order"), order.code), (_("What we found"), report.answer[:500])],
        order_link(order),
    )


@letter("order:{code}:downtime:{0}")
def downtime_credited(order: Order, row: Downtime) -> Page:
    lots = ngettext("%(count)d lot", "%(count)d lots", row.lots) % {"count": row.lots}
    subject = _("Order %(code)s: %(amount)s credited for time down") if row.cents else _("Order %(code)s: time down")
    told = (
        _("The amount below is on your balance. The end of the term stays as it is.")
        if row.cents
        else _("It was shorter than what is credited, or was credited before. Your balance stays as it is.")
    )
    return Page(
        subject % {"code": order.code, "amount": usd(row.cents)},
        [_("The machine was down in the time below. The fault is ours."), told],
        [
            (_("Order"), order.code),
            (_("Down from"), moment(row.begins, order)),
            (_("Down until"), moment(row.ends, order)),
            (_("Lots down"), lots),
            (_("Credited to your balance"), usd(row.cents)),
            (_("What we found"), row.reason[:500]),
        ],
        order_link(order),
    )


@letter("order:{code}:wiped:{0}")
def host_wiped(order: Order, row: Wipe) -> Page:
    return Page(
        _("The machine of order %(code)s is wiped") % {"code": order.code},
        [_("Nothing of yours is left on it. It serves nobody else before this was written down.")],
        [
            (_("Order"), order.code),
            (_("Machine"), row.host.host_ref),
            (_("How"), str(row.get_method_display())),
            (_("When"), moment(row.at, order)),
        ],
        order_link(order),
    )
