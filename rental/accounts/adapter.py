"""How allauth works here: what an account holds, what is said when a sign-in fails, how letters leave."""

from typing import Any

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from common.browsers import browser
from common.codes import reference
from rental.accounts.going import way_on
from rental.accounts.second_factor import SealingAdapter
from rental.letters import outbox
from rental.models import User

WRONG_CODE = _("This code does not match. Wait for the next one in your app and enter all its digits.")
TOO_MANY = _("Too many tries. Wait five minutes, then try again.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {  # noqa: RUF012 - allauth's own attribute
        **DefaultAccountAdapter.error_messages,
        "account_inactive": _("This account is closed."),
        "duplicate_email": _("This is your address already. Enter another one."),
        "email_password_mismatch": _("Email and password do not match. Check both, or ask for a new password."),
        "email_taken": _("There is an account with this email. Sign in, or enter another address."),
        "enter_current_password": _("This is not your current password. Enter it again."),
        "incorrect_code": WRONG_CODE,
        "incorrect_password": _("This is not your password. Enter it again."),
        "invalid_or_expired_key": _("This link was used already or is too old. Ask for a new one."),
        "invalid_password_reset": _("This link was used already or is too old. Ask for a new one."),
        "too_many_login_attempts": TOO_MANY,
        "rate_limited": TOO_MANY,
        "same_as_current": _("This is the value you have already. Enter another one."),
        "unverified_primary_email": _("Confirm your email address first: the link is in the letter we wrote."),
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        # Letters speak the language in which the account was opened.
        user.language = translation.get_language() or "en"
        return super().save_user(request, user, form, commit)  # type: ignore[no-any-return]

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return way_on(request) or str(super().get_login_redirect_url(request))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Into the outbox like every letter: a mail server that is away stops no sign-up and loses nothing."""
        language = translation.get_language() or "en"
        letter = self.render_mail(template_prefix, email, {**context, "email": email, "site_url": settings.SITE_URL})
        outbox.write(
            event=f"{template_prefix}:{reference()}",
            to=email,
            language=language,
            subject=letter.subject,
            text=str(letter.body),
            html=render_to_string(
                "account/email/letter.html",
                {"subject": letter.subject, "text": letter.body, "language": language},
            ),
        )

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # Counted by address and place together: a stranger's tries lock out the stranger, not the owner.
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{self.get_client_ip(request)}"


class MFAAdapter(SealingAdapter):
    error_messages = {  # noqa: RUF012 - allauth's own attribute
        **DefaultMFAAdapter.error_messages,
        "add_email_blocked": _("Remove the second factor before you add an email address."),
        "cannot_delete_authenticator": _("An account that may act for others keeps its second factor."),
        "cannot_generate_recovery_codes": _("Set up an authenticator app first; recovery codes come with it."),
        "incorrect_code": WRONG_CODE,
        "unverified_email": _("Confirm your email address first: the link is in the letter we wrote."),
    }

    def build_totp_svg(self, url: str) -> str:
        """The QR code as an inline SVG: allauth's data URI is forbidden by the content security policy."""
        return segno.make(url, error="m").svg_inline(scale=1, border=4, svgclass="qr", omitsize=True, light="#fff")

    def generate_authenticator_name(self, user: Any, type: Any) -> str:
        """The browser that makes a passkey, until its owner names it."""
        return str(browser(context.request.META.get("HTTP_USER_AGENT", "")))

    def can_delete_authenticator(self, authenticator: Any) -> bool:
        return not authenticator.user.is_staff
