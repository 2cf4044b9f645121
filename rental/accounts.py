"""How allauth makes an account here: first name, last name, email, password."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.utils.translation import gettext_lazy as _


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    pass


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    first_name = forms.CharField(label=_("First name"), max_length=80)
    last_name = forms.CharField(label=_("Last name"), max_length=80)
    field_order = ("first_name", "last_name", "email", "password1")

    def save(self, request: Any) -> Any:
        return super().save(request)
