"""Clients that look at pages as a customer, a stranger or an operator would, without scripts."""

import re
import time
from html import unescape
from typing import Any

from django.test import Client

from rental.models import User


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    return client


def at_desk(user: User) -> Client:
    """An operator whose session passed the second factor."""
    client = signed_in(user)
    session = client.session
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time(), "type": "totp"}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client


def text_of(response: Any) -> str:
    """What a person reads: no tags, entities and no-break spaces resolved, white space folded."""
    html = re.sub(r"<(script|style|title)\b.*?</\1>", " ", response.content.decode(), flags=re.S)
    plain = unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")
    return re.sub(r"\s+([.,;:)])", r"\1", re.sub(r"\s+", " ", plain))


def title_of(response: Any) -> str:
    found = re.search(r"<title>(.*?)</title>", response.content.decode(), re.S)
    return unescape(found.group(1)).strip() if found else ""


def hidden(response: Any, name: str) -> str:
    """The value of a hidden field, as a browser would send it back."""
    found = re.search(rf'<input[^>]*name="{name}"[^>]*value="([^"]*)"', response.content.decode())
    assert found, f"no hidden field {name}"
    return unescape(found.group(1))
