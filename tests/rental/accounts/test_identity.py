"""Nothing here asks who somebody is beyond a name and an email."""

import re

from django import forms
from django.apps import apps
from django.test import Client

from common import forms as _common_forms  # noqa: F401 - every room's forms are loaded by its addresses
from tests.rental.pages import text_of

ASKED = re.compile(
    r"birth|passport|identity|id_(card|document|number|scan)|national|nationality|citizen|gender|selfie|kyc|"
    r"phone|mobile|street|postal|postcode|zip_?code|city|tax_?(id|number)|vat|ssn|iban|company|signature_image",
)
OURS = ("common", "billing", "rental", "pilots")
# A receiving address of a network is where coins go, a place in no town.
HARMLESS = {"Receipt.address", "ReceivingAddress.address"}


def every(kind: type) -> set[type]:
    return {sub for known in kind.__subclasses__() for sub in ({known} | every(known))}


def test_no_column_holds_an_identity() -> None:
    found = [
        f"{model.__name__}.{field.name}"
        for label in OURS
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.get_fields()
        if ASKED.search(field.name) or (model.__name__ == "User" and "address" in field.name)
    ]
    assert [name for name in found if name not in HARMLESS and not name.endswith(".emailaddress")] == []


def test_no_form_asks_for_one() -> None:
    Client().get("/nowhere/")  # loads every room's addresses, and so its forms
    names = {
        f"{form.__name__}.{name}"
        for form in every(forms.BaseForm)
        if form.__module__.startswith(OURS)
        for name in getattr(form, "base_fields", {})
    }
    assert len(names) > 20
    assert [name for name in sorted(names) if ASKED.search(name.split(".")[1])] == []


def test_sign_up_promises_it(db: None) -> None:
    assert "no identity document" in text_of(Client().get("/accounts/signup/"))
