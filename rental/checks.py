"""Production does not start on example prices or with the demonstration's people."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.utils import DatabaseError
from django.utils import timezone

from rental.models import Card, Price, User

# Run by the production servers before they answer, as billing's are.
PRODUCTION = "production"
DEMO_DOMAIN = "@example.org"


@register(PRODUCTION, Tags.database)
def nothing_of_a_demonstration(
    app_configs: Any, databases: Sequence[str] | None = None, **_options: Any
) -> list[CheckMessage]:
    """Only in production, only with a database to look into, and only once it has tables."""
    if not settings.PRODUCTION or not databases:
        return []
    try:
        if Card._meta.db_table not in connections["default"].introspection.table_names():
            return []
        return found()
    except DatabaseError as why:
        return [Error("The database cannot be read.", hint=str(why), id="rental.E100")]


def found() -> list[CheckMessage]:
    errors: list[CheckMessage] = []
    examples = Price.objects.in_force(timezone.now()).filter(example=True, card__on_sale=True)
    if slugs := sorted(set(examples.values_list("card__slug", flat=True))):
        hint = "Review each price: manage.py catalogue price CARD DAYS USD --by EMAIL; or take the card off sale."
        errors.append(Error(f"Cards are on sale at example prices: {', '.join(slugs)}.", hint=hint, id="rental.E101"))
    if User.objects.filter(email__iendswith=DEMO_DOMAIN, is_active=True).exists():
        hint = "Start with an empty database, or close the accounts whose address ends in @example.org."
        errors.append(Error("There are accounts of the demonstration.", hint=hint, id="rental.E102"))
    return errors
