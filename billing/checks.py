"""Production does not start on example keys, example addresses or example rates: money sent there is lost."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.utils import DatabaseError

from billing import rates
from billing.examples import EXAMPLE_KEYS
from billing.models import AddressKey, PaymentRequest, Rate, ReceivingAddress

# Checks with this tag are run by the production servers before they answer.
PRODUCTION = "production"


@register(PRODUCTION, Tags.database)
def no_examples(app_configs: Any, databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Only in production, only with a database to look into, and only once it has tables."""
    if not settings.PRODUCTION or not databases:
        return []
    try:
        if AddressKey._meta.db_table not in connections["default"].introspection.table_names():
            return []
        return [Error(what, hint=hint, id=number) for number, what, hint in _found()]
    except DatabaseError as why:
        return [Error("The database cannot be read.", hint=str(why), id="billing.E100")]


def _found() -> list[tuple[str, str, str]]:
    found = []
    keys = AddressKey.objects.filter(state=AddressKey.State.ACTIVE)
    if keys.filter(example=True).exists() or keys.filter(public_key__in=EXAMPLE_KEYS.values()).exists():
        hint = "Put your own account keys forward, let a second operator approve them, then start again."
        found.append(("billing.E101", "Payments would go to example keys, whose secrets are public.", hint))
    if ReceivingAddress.objects.filter(example=True, taken_at__isnull=True, key__isnull=True).exists():
        hint = "Delete the free example addresses of the pools and upload your own, then start again."
        found.append(("billing.E102", "Payments would go to example addresses, whose secrets are public.", hint))
    if PaymentRequest.objects.filter(state=PaymentRequest.State.OPEN, address__example=True).exists():
        hint = "Close the open payment requests of the trial, or start with an empty database."
        found.append(("billing.E103", "Open payment requests name example addresses.", hint))
    if any(rate.source == Rate.Source.EXAMPLE for rate in rates.newest_lines()):
        hint = "Set your own rate for every asset that has an example one, then start again."
        found.append(("billing.E104", "Example rates are in the table.", hint))
    return found
