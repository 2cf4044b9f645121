"""What people type on the rental pages; every figure that matters is computed from it on the server."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from billing.networks import ASSET_CHOICES, NETWORK_CHOICES
from common.refusals import Refusal
from rental.catalogue.prices import DAYS, LOTS

PREPARATIONS: tuple[tuple[str, Promise, Promise], ...] = (
    ("ubuntu", _("Ubuntu"), _("the system with the card’s driver, nothing else")),
    ("pytorch", _("PyTorch"), _("Python with torch built for the card")),
    ("blender", _("Blender"), _("rendering without a screen")),
    ("custom", _("Custom"), _("you describe it below")),
)
BACKENDS: tuple[tuple[str, Promise, Promise], ...] = (
    ("", _("Either, or not known yet"), _("no card is marked")),
    ("cuda", _("CUDA"), _("NVIDIA cards")),
    ("rocm", _("ROCm"), _("AMD cards")),
)


# What an operator reads when the sum wants two.
ASKED = _("This sum wants two operators: another one has to agree before anything is done. All were written to.")


class WholeNumber(forms.CharField):
    """A whole number in ASCII digits: `int` alone would take `1_0`, Arabic digits and spaces inside."""

    def __init__(self, *, least: int, most: int, wrong: Any, **options: Any) -> None:
        super().__init__(max_length=12, error_messages={"required": wrong, "max_length": wrong}, **options)
        self.least, self.most, self.wrong = least, most, wrong

    def clean(self, value: Any) -> int | None:  # type: ignore[override]
        text = super().clean(value)
        if not text and not self.required:
            return None
        if not re.fullmatch(r"[0-9]{1,9}", text) or not self.least <= int(text) <= self.most:
            raise forms.ValidationError(self.wrong, code="invalid")
        return int(text)


class ChoiceForm(forms.Form):
    """A card, a term, a number of lots, a preparation; and what the project asks for, which only marks cards."""

    card = forms.CharField(label=_("Card"), max_length=60, error_messages={"required": _("Choose a card.")})
    days = forms.TypedChoiceField(
        label=_("Term"),
        choices=[(str(n), n) for n in DAYS],
        coerce=int,
        error_messages={
            "required": _("Choose a term: 3, 7 or 30 days."),
            "invalid_choice": _("Choose a term: 3, 7 or 30 days."),
        },
    )
    lots = WholeNumber(
        label=_("Lots"), least=LOTS.start, most=LOTS.stop - 1, wrong=_("Enter a number of lots from 1 to 10.")
    )
    preparation = forms.ChoiceField(
        label=_("Preparation"),
        choices=[(slug, name) for slug, name, _what in PREPARATIONS],
        error_messages={"required": _("Choose a preparation."), "invalid_choice": _("Choose a preparation.")},
    )
    note = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=500,
        error_messages={"max_length": _("Shorten the description to 500 characters at most.")},
    )
    backend = forms.ChoiceField(
        label=_("Backend"),
        required=False,
        choices=[(slug, name) for slug, name, _what in BACKENDS],
        error_messages={"invalid_choice": _("Choose CUDA, ROCm, or neither.")},
    )
    memory = WholeNumber(
        label=_("Memory on one card"),
        required=False,
        least=1,
        most=100_000,
        wrong=_("Enter whole gigabytes, for example 48, or leave it empty."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("preparation") == "custom" and "note" in cleaned and not cleaned["note"]:
            self.add_error("note", _("Describe what you would like to find on the machine."))
        return cleaned


class WaitingForm(forms.Form):
    """How much of a sold-out card somebody waits for."""

    lots = WholeNumber(
        label=_("Lots"), least=LOTS.start, most=LOTS.stop - 1, wrong=_("Enter a number of lots from 1 to 10.")
    )
    days = forms.TypedChoiceField(
        label=_("Term"),
        choices=[(str(n), ngettext_lazy("%(count)d day", "%(count)d days", n) % {"count": n}) for n in DAYS],
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choose a term: 3, 7 or 30 days."),
            "invalid_choice": _("Choose a term: 3, 7 or 30 days."),
        },
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"max_length": _("Shorten the reason to 300 characters at most.")},
    )


class RefundForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The customer reads it."),
        error_messages={"required": _("Write the reason of the refund.")},
    )


class RefusalForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Operators read it."),
        error_messages={"required": _("Write the reason.")},
    )


class LogForm(forms.Form):
    """What of the operators' acts is shown; every field may stay empty."""

    who = forms.CharField(label=_("Operator’s email"), required=False, max_length=100)
    act = forms.CharField(label=_("Act"), required=False, max_length=60)
    about = forms.CharField(label=_("About"), required=False, max_length=100)
    day = forms.DateField(
        label=_("Day (UTC)"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"invalid": _("Enter a day, for example 2026-11-30.")},
    )


class EvidenceForm(forms.Form):
    evidence = forms.CharField(
        label=_("Evidence"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Where you saw it: explorer address, node, block."),
        error_messages={"required": _("Say where you saw this.")},
    )


class ReceiptForm(forms.Form):
    """Money an operator has really seen. The amount is a decimal of whole coins, as an explorer shows it."""

    network = forms.ChoiceField(label=_("Network"), choices=NETWORK_CHOICES)
    asset = forms.ChoiceField(label=_("Asset that arrived"), choices=ASSET_CHOICES)
    transaction = forms.CharField(
        label=_("Transaction id"),
        max_length=130,
        help_text=_("As the explorer or the node shows it."),
        error_messages={"required": _("Enter the transaction id.")},
    )
    output = WholeNumber(
        label=_("Output or log index"),
        least=0,
        most=999_999_999,
        wrong=_("Enter the output’s number, 0 for the first."),
        help_text=_("0 for the first output. One receipt per network, transaction and output."),
    )
    address = forms.CharField(
        label=_("Receiving address"),
        max_length=130,
        error_messages={"required": _("Enter the address that received the money.")},
    )
    amount = forms.CharField(
        label=_("Amount in whole coins"),
        max_length=60,
        help_text=_("Plain digits with a point, for example 0.014249."),
        error_messages={"required": _("Enter the amount that arrived.")},
    )
    evidence = forms.CharField(
        label=_("Evidence"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Where you saw it: explorer address, node, block."),
        error_messages={"required": _("Say where you saw this money.")},
    )
    confirmed = forms.BooleanField(
        label=_("It has the confirmations we ask for"),
        required=False,
        help_text=_("Leave it off for money that is only seen. Only confirmed money is credited."),
    )

    def clean_amount(self) -> str:
        text = str(self.cleaned_data["amount"]).strip()
        if not re.fullmatch(r"[0-9]{1,30}(\.[0-9]{1,24})?", text) or Decimal(text) == 0:
            raise forms.ValidationError(_("Enter the amount in plain digits with a point, for example 0.014249."))
        return text


class HostsField(forms.MultipleChoiceField):
    """Names of hosts. Whether each can be handed over is the act's to say, with the difference in words."""

    def valid_value(self, value: Any) -> bool:
        return isinstance(value, str) and 0 < len(value) <= 64


class DeliveryForm(forms.Form):
    hosts = HostsField(
        label=_("Hosts"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose the hosts to hand over.")},
    )
    access = forms.CharField(
        label=_("Access"),
        max_length=4000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "class": "input mono", "spellcheck": "false", "autocomplete": "off"}),
        help_text=_("Address, user, keys: what the customer needs to sign in. It is sealed when you send this form."),
        error_messages={"required": _("Enter how to reach the machine.")},
    )


class RateForm(forms.Form):
    value = forms.CharField(
        label=_("USD for one coin"),
        max_length=40,
        help_text=_("Plain digits with a point, for example 91240.50."),
        error_messages={"required": _("Enter the rate.")},
    )
    hours = WholeNumber(
        label=_("Valid for how many hours"), least=1, most=168, wrong=_("Enter a number of hours from 1 to 168.")
    )

    def clean_value(self) -> Decimal:
        text = str(self.cleaned_data["value"]).strip()
        if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", text) or Decimal(text) == 0:
            raise forms.ValidationError(_("Enter the rate in plain digits with a point, for example 91240.50."))
        return Decimal(text)


class AdjustForm(forms.Form):
    """A correction of one customer's balance, in USD with a sign, never without its reason."""

    email = forms.EmailField(
        label=_("Customer’s email"), error_messages={"required": _("Enter the customer’s email address.")}
    )
    amount = forms.CharField(
        label=_("Change in USD"),
        max_length=20,
        help_text=_("With its sign: 15.50 adds to the balance, -15.50 takes from it."),
        error_messages={"required": _("Enter the change in USD.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("It is kept in the ledger for ever, with your name."),
        error_messages={"required": _("Say why this balance changes.")},
    )

    def clean_amount(self) -> int:
        text = str(self.cleaned_data["amount"]).strip().replace("−", "-")
        if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{2})?", text) or Decimal(text) == 0:
            raise forms.ValidationError(_("Enter dollars and cents with a point, for example 15.50 or -15.50."))
        return int(Decimal(text) * 100)


def refuse(form: forms.Form, error: Refusal) -> None:
    """Show a refused act's sentence at its field, or above the form."""
    form.add_error(error.field if error.field in form.fields else None, str(error.sentence))
