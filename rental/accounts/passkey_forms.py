"""allauth's passkey forms with this site's words; an answer no passkey gave is a wrong answer, never a fault."""

from collections.abc import Callable
from typing import Any, ClassVar

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn import forms as passkeys
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from rental.accounts.forms import Worded, Words, plain_name

NAME = _("Name of the passkey")
NAME_HINT = _("So that you recognise it later, for example the device that holds it.")
NO_ANSWER = _("Your browser gave no passkey. Try again.")


def judged(check: Callable[[], Any]) -> Any:
    """What the library makes of the browser's answer; whatever it stumbles over was not said by a passkey."""
    try:
        return check()
    except ValidationError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise get_adapter().validation_error("incorrect_code") from error


class Asked(Worded):
    """The one field that script fills in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["credential"].error_messages |= {"required": NO_ANSWER, "invalid": NO_ANSWER}


class Answered(Asked):
    def clean_credential(self) -> Any:
        return judged(super().clean_credential)  # type: ignore[misc]


class AddPasskeyForm(Asked, passkeys.AddWebAuthnForm):  # type: ignore[misc]
    # Every passkey made here also signs in without a password: it checks its owner itself.
    passwordless = forms.BooleanField(required=True, widget=forms.HiddenInput, initial=True)
    words: ClassVar[Words] = {"name": (NAME, NAME_HINT)}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name: Any = self.fields["name"]
        name.max_length, name.required = 80, False
        name.widget.attrs |= {"maxlength": 80, "autocomplete": "off"}
        name.validators.append(plain_name)

    def clean_name(self) -> str:
        return str(super().clean_name())[:80]

    def clean(self) -> Any:
        return judged(super().clean)


class RenamePasskeyForm(Worded, passkeys.EditWebAuthnForm):  # type: ignore[misc]
    name = forms.CharField(max_length=80, validators=[plain_name])
    words: ClassVar[Words] = {"name": (NAME, NAME_HINT)}


class PasskeyForm(Answered, passkeys.AuthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class PasskeyAgainForm(Answered, passkeys.ReauthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class PasskeyLoginForm(Answered, passkeys.LoginWebAuthnForm):  # type: ignore[misc]
    pass
