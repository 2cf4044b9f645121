"""Lists by cursor: `{"items": […], "next": cursor or null}`."""

import base64
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal

PAGE = 50


def page(
    rows: "QuerySet[Any]", cursor: str | None, limit: int = PAGE, *, descending: bool = True
) -> tuple[list[Any], str | None]:
    """The rows after `cursor` by primary key, at most `limit`, and the next cursor."""
    rows = rows.order_by("-pk" if descending else "pk")
    if cursor:
        try:
            after = int(base64.urlsafe_b64decode(cursor.encode()).decode())
        except ValueError:
            raise Refusal(
                "bad_cursor", _("This cursor is not one of ours. Start the list again."), status=422
            ) from None
        rows = rows.filter(**{"pk__lt" if descending else "pk__gt": after})
    found = list(rows[: limit + 1])
    if len(found) <= limit:
        return found, None
    return found[:limit], base64.urlsafe_b64encode(str(found[limit - 1].pk).encode()).decode()
