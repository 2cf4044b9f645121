"""allauth's forms with this site's labels, hints and one password field instead of two."""

import unicodedata
from typing import Any, ClassVar

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext_lazy as _

EMAIL = _("Email")
PASSWORD = _("Password")
NEW_PASSWORD = _("New password")
PASSWORD_HINT = _("At least 10 characters. A sentence is fine, and so is a password manager: pasting works.")
CODE = _("Code")
CODE_HINT = _("The six digits your authenticator app shows now, or one of your recovery codes.")
Words = dict[str, tuple[Any, Any]]
# What to do about an empty field; Django only says that it is empty.
EMPTY = {
    "first_name": _("Enter your first name."),
    "last_name": _("Enter your last name."),
    "email": _("Enter your email address."),
    "login": _("Enter your email address."),
    "password": _("Enter your password."),
    "oldpassword": _("Enter your current password."),
    "password1": _("Choose a password of at least 10 characters."),
    "code": _("Enter the code."),
}
NO_EMAIL = _("Enter an email address in full, like name@example.org.")


class Worded:
    """Give the fields named in `words` their label and hint, and drop the field that repeats a password."""

    words: ClassVar[Words] = {}
    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("password2", None)
        for name, (label, hint) in self.words.items():
            self.fields[name].label, self.fields[name].help_text = label, hint
        tell_empty(self.fields)


def tell_empty(fields: dict[str, forms.Field]) -> None:
    """Errors that say what to do."""
    for name, field in fields.items():
        if name in EMPTY:
            field.error_messages["required"] = EMPTY[name]
        if isinstance(field, forms.EmailField):
            # The validator's own message is shown, and each field's copy of it may differ.
            field.validators = [EmailValidator(NO_EMAIL), *field.validators[1:]]


def plain_name(value: str) -> None:
    """A name is text: no control characters, no line breaks, nothing that turns the direction of writing."""
    joiners = "\u200c\u200d"
    if any(unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") and char not in joiners for char in value):
        raise ValidationError(_("Enter the name in letters, without invisible characters."), code="invisible")


def name_field(label: Any, autocomplete: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=80,
        validators=[plain_name],
        error_messages={"required": EMPTY["first_name" if autocomplete == "given-name" else "last_name"]},
        widget=forms.TextInput(attrs={"autocomplete": autocomplete}),
    )


class SignupForm(Worded, account.SignupForm):  # type: ignore[misc]
    first_name = name_field(_("First name"), "given-name")
    last_name = name_field(_("Last name"), "family-name")
    field_order = ("first_name", "last_name", "email", "password1")
    words: ClassVar[Words] = {"email": (EMAIL, ""), "password1": (PASSWORD, PASSWORD_HINT)}


class LoginForm(Worded, account.LoginForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"login": (EMAIL, ""), "password": (PASSWORD, "")}


class ChangePasswordForm(Worded, account.ChangePasswordForm):  # type: ignore[misc]
    words: ClassVar[Words] = {
        "oldpassword": (_("Current password"), ""),
        "password1": (NEW_PASSWORD, PASSWORD_HINT),
    }


class SetPasswordForm(Worded, account.SetPasswordForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"password1": (NEW_PASSWORD, PASSWORD_HINT)}


class ResetPasswordForm(Worded, account.ResetPasswordForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"email": (EMAIL, "")}


class ResetPasswordKeyForm(Worded, account.ResetPasswordKeyForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"password1": (NEW_PASSWORD, PASSWORD_HINT)}


class AddEmailForm(Worded, account.AddEmailForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"email": (_("New email"), "")}


class ReauthenticateForm(Worded, account.ReauthenticateForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"password": (PASSWORD, "")}


class CloseForm(ReauthenticateForm):
    words: ClassVar[Words] = {"password": (PASSWORD, _("So that nobody else at this browser closes the account."))}


class AuthenticateForm(Worded, mfa.AuthenticateForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"code": (CODE, CODE_HINT)}


class MFAReauthenticateForm(Worded, mfa.ReauthenticateForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"code": (CODE, CODE_HINT)}


class ActivateForm(Worded, ActivateTOTPForm):  # type: ignore[misc]
    words: ClassVar[Words] = {"code": (CODE, _("The six digits your app shows now for this site."))}
