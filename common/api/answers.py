"""What every room's API writes and reads alike: instants, JSON answers, text without NUL."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import AfterValidator


def instant(at: datetime) -> str:
    """ISO 8601 in UTC, to the microsecond where there are any."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def instant_or_none(at: datetime | None) -> str | None:
    return instant(at) if at else None


def answer(status: int) -> Callable[[HttpRequest, Any], HttpResponse]:
    """A renderer for `idempotent`: the act's result as JSON with this status."""

    def render(request: HttpRequest, body: Any) -> HttpResponse:
        return JsonResponse(body, status=status, json_dumps_params={"ensure_ascii": False})

    return render


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL character cannot be kept")
    return text


# PostgreSQL keeps no NUL in text; say so before it does.
Text = Annotated[str, AfterValidator(_no_nul)]
