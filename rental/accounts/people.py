"""Accounts made by an operator's hand: operators with their second factor, and customers of a demonstration."""

import secrets
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import transaction

from rental.models import User


@dataclass(frozen=True)
class Made:
    """An account with the secrets that were made for it now; None for those it had before."""

    user: User
    password: str | None
    totp_secret: str | None


@transaction.atomic
def make_customer(
    email: str, *, first_name: str, last_name: str, language: str = "en", password: str | None = None
) -> Made:
    """The account with this email, made with a confirmed address if it is not there."""
    user = User.objects.filter(email__iexact=email).first()
    if user is not None:
        return Made(user, None, None)
    password = password or secrets.token_urlsafe(12)
    user = User.objects.create_user(email, password, first_name=first_name, last_name=last_name, language=language)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return Made(user, password, None)


@transaction.atomic
def make_operator(
    email: str, *, first_name: str = "Operator", last_name: str = "", password: str | None = None
) -> Made:
    """The account with this email as staff with a second factor, each made if it is not there."""
    made = make_customer(email, first_name=first_name, last_name=last_name, password=password)
    user, secret = made.user, None
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
    if not Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        secret = generate_totp_secret()
        TOTP.activate(user, secret)
    return Made(user, made.password, secret)
