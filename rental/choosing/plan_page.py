"""The term planner as a page: what a person enters, and the reasoning line by line."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.formats import number, percent
from rental.catalogue.prices import DAYS, hours_of
from rental.choosing import planner
from rental.choosing.carried import carried
from rental.choosing.planner import Plan, Work
from rental.forms import WholeNumber

EXAMPLE = {
    "install": "2",
    "checks": "1",
    "pilot": "1",
    "items": "20000",
    "seconds": "6",
    "cards_used": "1",
    "export": "50",
    "speed": "20",
    "margin": "25",
}


class Figure(forms.CharField):
    """Plain digits with a point or a comma, as an exact fraction."""

    def __init__(self, *, least: int = 0, **options: Any) -> None:
        self.wrong = gettext_lazy("Enter plain digits, with a point for decimals, for example 2.5.")
        super().__init__(max_length=16, error_messages={"required": self.wrong}, **options)
        self.least = least

    def clean(self, value: Any) -> Fraction | None:  # type: ignore[override]
        text = super().clean(value).replace(",", ".")
        if not text:
            return None
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,4})?", text) or (self.least and Decimal(text) == 0):
            raise forms.ValidationError(self.wrong, code="invalid")
        return Fraction(Decimal(text))


class PlanForm(forms.Form):
    install = Figure(label=gettext_lazy("Installation, in hours"))
    checks = Figure(label=gettext_lazy("Checks, in hours"))
    pilot = Figure(label=gettext_lazy("Pilot and the look at its results, in hours"))
    items = WholeNumber(
        label=gettext_lazy("Items of the whole volume"),
        least=0,
        most=999_999_999,
        wrong=gettext_lazy("Enter a whole number of items."),
    )
    seconds = Figure(
        label=gettext_lazy("Seconds an item takes on one card"),
        help_text=gettext_lazy("Measured on items as long and as hard as the real ones."),
    )
    cards_used = WholeNumber(
        label=gettext_lazy("Cards that share the items"),
        least=1,
        most=1000,
        wrong=gettext_lazy("Enter a whole number of cards, 1 or more."),
        help_text=gettext_lazy("Only if your program shares them out: several cards do not split a program."),
    )
    rate = Figure(
        label=gettext_lazy("Or items an hour, as a finished run measured it"),
        required=False,
        least=1,
        help_text=gettext_lazy("All cards together. When it is given, it replaces the seconds and the cards."),
    )
    export = Figure(label=gettext_lazy("Results to take away, in GB"))
    speed = Figure(label=gettext_lazy("Speed of that copy, in MB a second"), least=1)
    margin = WholeNumber(
        label=gettext_lazy("Margin, in percent"),
        least=0,
        most=900,
        wrong=gettext_lazy("Enter a whole number of percent, from 0 to 900."),
    )


def read(data: Mapping[str, Any]) -> dict[str, Any]:
    """The page's context; the plan is there once a valid form was sent."""
    sent = "items" in data
    # A run page brings its measured rate; the other figures are still the example's.
    brought = {"rate": str(data["rate"])[:16]} if data.get("rate") else {}
    form = PlanForm(
        {name: data.get(name, "") for name in PlanForm.base_fields} if sent else None, initial=EXAMPLE | brought
    )
    kept = carried(data)
    context: dict[str, Any] = {"form": form, "kept": kept}
    if sent and form.is_valid():
        made = planner.plan(_work(form.cleaned_data))
        context |= {"plan": made, "lines": _lines(made, form.cleaned_data), "answer": _answer(made)}
        if made.days:
            context["chooser"] = "?" + urlencode(kept | {"days": made.days})
    return context


def _work(of: dict[str, Any]) -> Work:
    return Work(
        install=of["install"],
        checks=of["checks"],
        pilot=of["pilot"],
        items=of["items"],
        seconds=of["seconds"],
        cards=of["cards_used"],
        export_gb=of["export"],
        mb_per_second=of["speed"],
        margin=of["margin"],
        per_hour=of["rate"],
    )


def _hours(value: Fraction) -> str:
    return _("%(hours)s h") % {"hours": number(float(value), 1)}


def _lines(made: Plan, of: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, hours, and how they were computed."""
    if of["rate"]:
        how = _("%(items)s items ÷ %(rate)s an hour, measured") % {
            "items": number(of["items"]),
            "rate": number(float(of["rate"])),
        }
    else:
        how = ngettext(
            "%(items)s items × %(seconds)s s ÷ %(cards)s card",
            "%(items)s items × %(seconds)s s ÷ %(cards)s cards",
            of["cards_used"],
        ) % {
            "items": number(of["items"]),
            "seconds": number(float(of["seconds"])),
            "cards": number(of["cards_used"]),
        }
    copy = _("%(gb)s GB ÷ %(speed)s MB a second") % {
        "gb": number(float(of["export"])),
        "speed": number(float(of["speed"])),
    }
    return [
        (_("Installation"), _hours(made.install), ""),
        (_("Checks"), _hours(made.checks), ""),
        (_("Pilot"), _hours(made.pilot), ""),
        (_("Compute"), _hours(made.compute), how),
        (_("Export"), _hours(made.export), copy),
        (_("Margin"), _hours(made.margin), _("%(percent)s of the above") % {"percent": percent(of["margin"] / 100, 0)}),
    ]


def _answer(made: Plan) -> dict[str, str]:
    hours = _hours(made.hours)
    if made.days is None:
        longest = number(hours_of(max(DAYS)))
        return {
            "heading": _("Longer than 30 days"),
            "sentence": _("The whole takes about %(hours)s; the longest term holds %(longest)s h, %(over)s less.")
            % {"hours": hours, "longest": longest, "over": _hours(-made.spare)},
        }
    return {
        "heading": ngettext("%(days)s day", "%(days)s days", made.days) % {"days": made.days},
        "sentence": _("The whole takes about %(hours)s; this term holds %(term)s h and leaves %(spare)s free.")
        % {"hours": hours, "term": number(hours_of(made.days)), "spare": _hours(made.spare)},
    }
