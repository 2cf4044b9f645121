"""What every template may use."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    return {
        "site_name": "Kernodeck",
        "demo": settings.DEMO,
        "languages": settings.LANGUAGES,
        "site_url": settings.SITE_URL,
    }
