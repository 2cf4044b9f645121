"""The sentences of the payment page: what is so, what is not yet, what to do. Never more than was observed."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.formats import usd, when

Sheet = Mapping[str, Any]


def words(sheet: Sheet) -> dict[str, Any]:
    """Heading, sentences and rail of a sheet, and the words beside its figures."""
    asset, network = sheet["asset"], sheet["network"]
    return {
        "heading": heading(sheet),
        "sentences": sentences(sheet),
        "rail": rail(sheet),
        "confirmed_word": _("%(amount)s confirmed") % {"amount": f"{sheet['confirmed']} {asset}"},
        "seen_word": _("%(amount)s seen, not confirmed") % {"amount": f"{sheet['seen']} {asset}"},
        "qr_label": _("QR code with the address and the amount %(amount)s on %(network)s")
        % {"amount": f"{sheet['amount']} {asset}", "network": network}
        if sheet["uri"]
        else _("QR code with the address"),
    }


def no_coin() -> str:
    """What a demo says in the place of every payment URI."""
    return _("This is a demo: do not send any coin.")


def heading(sheet: Sheet) -> str:
    """What is so now."""
    facts = {"network": sheet["network"], "amount": f"{sheet['due']} {sheet['asset']}"}
    match sheet["state"]:
        case "paid":
            return _("This order is paid.")
        case "covered":
            return _("The whole amount is confirmed and on your balance.")
        case "seen":
            return _("Your money was seen on %(network)s. It is not confirmed yet.") % facts
        case "short":
            return _("Part of the money is confirmed. %(missing)s are missing.") % {
                "missing": usd(sheet["missing_cents"])
            }
        case "told":
            return _("You told us you paid. We have not seen the money yet.")
        case "over":
            return _("This request is over. We have seen no money for it.")
        case _state:
            return _("We wait for %(amount)s on %(network)s. We have seen nothing yet.") % facts


def sentences(sheet: Sheet) -> list[str]:
    """What is not yet, and what to do."""
    found = [*_about_state(sheet)]
    if sheet["strays"]:
        found.append(
            _("Something else arrived at this address too. It is not credited by itself: an operator looks at it.")
        )
    if sheet["state"] in ("told", "short", "over") and not sheet["asks"]:
        found.append(_("The time to send is over. Already sent it? It will be credited. Do not send again."))
    if sheet["demo"] and sheet["state"] not in ("covered", "paid"):
        found.append(no_coin())
    return found


def _about_state(sheet: Sheet) -> list[str]:
    facts = {
        "deadline": when(sheet["expires_at"]),
        "credited": usd(sheet["credited_cents"]),
        "left": f"{sheet['amount']} {sheet['asset']}",
    }
    match sheet["state"]:
        case "paid":
            return [
                _("It was paid from your balance on %(at)s. Nothing more has to be sent.")
                % {"at": when(sheet["paid_at"])}
            ]
        case "covered":
            return [_("The order is paid from it as soon as your balance covers its price. Send nothing more.")]
        case "seen":
            wait = _(
                "It is credited after %(blocks)s. Nothing was credited for it yet, and you have nothing more to do."
            )
            found = [wait % {"blocks": blocks(sheet["confirmations"])}]
            if sheet["vouched"]:
                found.append(_("One operator checked it; a sum like this waits for a second one."))
            if sheet["rest"]:
                found.append(_("It is less than was asked for: %(left)s are still missing.") % facts)
            return found
        case "short":
            found = [
                _("%(credited)s were credited to your balance. The order waits: it is paid once the balance covers it.")
                % facts
            ]
            if sheet["asks"]:
                found.append(_("Send the rest, %(left)s, to the same address before %(deadline)s.") % facts)
            return found
        case "told":
            told = _(
                "Noted on %(at)s. Your notice is not proof of payment and moves nothing by itself. "
                "There is nothing more for you to do: please do not send it again."
            )
            return [told % {"at": when(sheet["noted_at"])}]
        case "over":
            return []
        case _state:
            return [
                _("Send it before %(deadline)s. This page shows when it was seen and when it is confirmed.") % facts
            ]


def rail(sheet: Sheet) -> list[dict[str, Any]]:
    """The road from the notice to the order: each step with its time, or what it waits for."""
    not_yet = _("not yet")
    steps: list[dict[str, Any]] = [
        {"kind": "told", "word": _("You told us"), "at": sheet["noted_at"], "wait": not_yet},
        {
            "kind": "seen",
            "word": _("Seen on %(network)s") % {"network": sheet["network"]},
            "at": sheet["seen_at"],
            "wait": not_yet,
        },
        {
            "kind": "confirmed",
            "word": _("Confirmed by us"),
            "at": sheet["confirmed_at"],
            "wait": _("not yet, after %(blocks)s") % {"blocks": blocks(sheet["confirmations"])},
        },
        {"kind": "confirmed", "word": _("Order paid"), "at": sheet["paid_at"], "wait": not_yet},
    ]
    reached = [step for step in steps if step["at"]]
    for step in steps:
        step["current"] = bool(reached) and step is reached[-1]
    return steps


def blocks(count: int) -> str:
    return ngettext("%(count)s block", "%(count)s blocks", count) % {"count": count}
