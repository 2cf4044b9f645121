"""Errors of the API: RFC 9457 problem details with a stable `code`."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from common.refusals import Refusal


def problem(status: int, code: str, detail: str, **extra: Any) -> HttpResponse:
    body = {"type": "about:blank", "status": status, "code": code, "title": code.replace("_", " "), "detail": detail}
    return HttpResponse(
        json.dumps({**extra, **body}, ensure_ascii=False), status=status, content_type="application/problem+json"
    )


def install(api: NinjaAPI) -> None:
    """Give `api` the house's way to say no."""

    @api.exception_handler(Refusal)
    def refused(request: HttpRequest, error: Refusal) -> HttpResponse:
        extra = {"field": error.field} if error.field else {}
        return problem(error.status, error.code, str(error.sentence), **error.data, **extra)

    @api.exception_handler(Http404)
    def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
        return problem(404, "not_found", _("There is nothing here that belongs to you. Check the address."))

    @api.exception_handler(AuthenticationError)
    def no_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
        return problem(401, "token_required", _("Send a valid token: Authorization: Bearer …"))

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        errors = [
            {"where": ".".join(str(part) for part in item["loc"][1:] if part != "payload"), "what": item["msg"]}
            for item in error.errors
        ]
        detail = _("Some values cannot be used: see errors, correct them and send again.")
        return problem(422, "invalid_input", detail, errors=errors)

    @api.exception_handler(HttpError)
    def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
        return problem(error.status_code, "bad_request", str(error))
