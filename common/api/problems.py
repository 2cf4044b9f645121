"""Errors of the API: RFC 9457 problem details with a stable `code`, in the caller's language."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from common.refusals import Refusal

# What pydantic found, by the type of its error: its own sentences exist in English only.
FAULTS: dict[str, "str | Promise"] = {
    "missing": gettext_lazy("This value is missing. Send it."),
    "extra_forbidden": gettext_lazy("This value is not known here. Leave it out."),
    "json_invalid": gettext_lazy("This is not valid JSON."),
    "string_type": gettext_lazy("Send a text."),
    "string_too_short": gettext_lazy("Send at least %(min_length)s characters."),
    "string_too_long": gettext_lazy("Send at most %(max_length)s characters."),
    "string_pattern_mismatch": gettext_lazy("This text does not have the form that is asked for."),
    "int_type": gettext_lazy("Send a whole number, without quotes."),
    "int_parsing": gettext_lazy("Send a whole number."),
    "int_from_float": gettext_lazy("Send a whole number."),
    "bool_type": gettext_lazy("Send true or false."),
    "list_type": gettext_lazy("Send a list."),
    "dict_type": gettext_lazy("Send an object."),
    "model_type": gettext_lazy("Send an object."),
    "model_attributes_type": gettext_lazy("Send an object."),
    "literal_error": gettext_lazy("Send one of: %(expected)s."),
    "enum": gettext_lazy("Send one of: %(expected)s."),
    "greater_than": gettext_lazy("Send a number greater than %(gt)s."),
    "greater_than_equal": gettext_lazy("Send a number of at least %(ge)s."),
    "less_than": gettext_lazy("Send a number less than %(lt)s."),
    "less_than_equal": gettext_lazy("Send a number of at most %(le)s."),
    "too_long": gettext_lazy("Send at most %(max_length)s entries."),
    "too_short": gettext_lazy("Send at least %(min_length)s entries."),
}
OTHER = gettext_lazy("This value cannot be used here. Look at the API's description.")


def explain(fault: Mapping[str, Any]) -> str:
    """One of pydantic's findings as a sentence in the caller's language."""
    facts = {**fault.get("ctx", {})}
    if "expected" in facts:
        # Pydantic joins the last two with an English "or".
        facts["expected"] = str(facts["expected"]).replace(" or ", ", ").replace("'", "")
    return str(FAULTS.get(str(fault["type"]), OTHER)) % facts


def place(fault: Mapping[str, Any]) -> str:
    """Where a finding is, as the caller names it: without the name the site's code gives to the body."""
    origin, *path = fault["loc"]
    if origin in ("body", "form", "query", "path", "header", "file") and len(path) > 1:
        path = path[1:]
    return ".".join(str(part) for part in path) or str(origin)


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
        answer = problem(401, "token_required", _("Send a valid token: Authorization: Bearer …"))
        answer.headers["WWW-Authenticate"] = 'Bearer realm="Kernodeck"'
        return answer

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        errors = [{"where": place(fault), "code": str(fault["type"]), "what": explain(fault)} for fault in error.errors]
        detail = _("Some values cannot be used: see errors, correct them and send again.")
        return problem(422, "invalid_input", detail, errors=errors)

    @api.exception_handler(HttpError)
    def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
        # Ninja raises these for what it cannot read at all; its own words are English.
        detail = _("This request cannot be read. Send JSON, or a form where a file is asked for.")
        return problem(error.status_code, "bad_request", detail)
