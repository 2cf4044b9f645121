"""What people type about a machine in and after its term: a fault, the time down, its wiping, an SSH key."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rental.forms import WholeNumber
from rental.models import Wipe

FORM = "%Y-%m-%dT%H:%M"


class Moment(forms.CharField):
    """A time in UTC to the minute, from a browser's own field or typed: `2026-11-30 21:30`."""

    def __init__(self, **options: Any) -> None:
        attrs = {"type": "datetime-local", "class": "input", "step": "60"}
        options.setdefault("help_text", _("In UTC, for example 2026-11-30 21:30."))
        super().__init__(max_length=30, widget=forms.TextInput(attrs=attrs), **options)

    def prepare_value(self, value: Any) -> Any:
        return value.astimezone(UTC).strftime(FORM) if isinstance(value, datetime) else value

    def clean(self, value: Any) -> datetime:  # type: ignore[override]
        text = str(super().clean(value)).replace(" ", "T")[:16]
        try:
            return datetime.strptime(text, FORM).replace(tzinfo=UTC)
        except ValueError as error:
            raise forms.ValidationError(_("Enter a date and a time, for example 2026-11-30 21:30.")) from error


class FaultForm(forms.Form):
    text = forms.CharField(
        label=_("What does not work"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("What you did, what you saw, the first error. Write no password and no key."),
        error_messages={"required": _("Say what does not work.")},
    )
    since = Moment(label=_("Since when"), error_messages={"required": _("Enter since when it does not work.")})


class DowntimeForm(forms.Form):
    begins = Moment(label=_("Down from"), error_messages={"required": _("Enter when it went down.")})
    ends = Moment(label=_("Down until"), error_messages={"required": _("Enter when it worked again.")})
    lots = WholeNumber(
        label=_("Lots down"), least=1, most=10, wrong=_("Enter a number of lots from 1 to 10."), initial="1"
    )
    reason = forms.CharField(
        label=_("What you found"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The customer reads it."),
        error_messages={"required": _("Say what you found.")},
    )


class NotFoundForm(forms.Form):
    """An operator who did not find the fault says what was looked at."""

    reason = DowntimeForm.base_fields["reason"]


class WipeForm(forms.Form):
    method = forms.ChoiceField(
        label=_("How it was wiped"),
        choices=Wipe.Method.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose how it was wiped.")},
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=300)


class KeyForm(forms.Form):
    key = forms.CharField(
        label=_("Public key"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4, "class": "input mono", "spellcheck": "false", "autocomplete": "off"}),
        help_text=_("The one line of the file that ends in .pub. Never the private key."),
        error_messages={"required": _("Paste a public key.")},
    )
    label = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=60,
        help_text=_("So that you recognise it later, for example the machine it is on."),
    )
