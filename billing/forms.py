"""What people type into the room of money."""

from django import forms
from django.utils.translation import gettext_lazy as _


class PaidNoticeForm(forms.Form):
    """“I paid”: nothing has to be filled in."""

    transaction = forms.CharField(
        label=_("Transaction id"),
        required=False,
        max_length=130,
        error_messages={"max_length": _("A transaction id has at most 130 characters. Copy it from your wallet.")},
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )
