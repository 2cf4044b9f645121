"""What happens around every page: its language, and that a signed-in page stays private."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.encoding import escape_uri_path
from django.utils.http import escape_leading_slashes
from django.utils.translation import gettext as _

from common.api.problems import problem

Answer = Callable[[HttpRequest], HttpResponse]
CODES = {code for code, _name in settings.LANGUAGES}


def language(get_response: Answer) -> Answer:
    """`?language=fr` is remembered and dropped from the address; then cookie, account, browser.

    It stands after the sign-in, because a person's own language is on their account.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("language", "").lower()
        if asked in CODES and request.method in ("GET", "HEAD"):
            return remember(request, asked)
        code = language_of(request)
        translation.activate(code)
        request.LANGUAGE_CODE = code
        try:
            response = get_response(request)
            # A token's owner may have been heard only inside, so ask what was really spoken.
            spoken = translation.get_language() or code
            response.headers.setdefault("Content-Language", spoken)
            if isinstance(response, StreamingHttpResponse):
                # It is written later, when this language is no longer in force.
                response.streaming_content = speaking(spoken, response.streaming_content)
        finally:
            translation.deactivate()
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    return middleware


def speaking(code: str, parts: Any) -> Iterator[bytes]:
    """The parts of a streamed answer, each made in its language."""
    with translation.override(code):
        yield from parts


def language_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    if chosen not in CODES and request.user.is_authenticated and request.user.language in CODES:
        return str(request.user.language)
    return translation.get_language_from_request(request)


def remember(request: HttpRequest, code: str) -> HttpResponse:
    """Keep the choice in a cookie and on the account, so that letters speak it too."""
    if request.user.is_authenticated:
        get_user_model().objects.filter(pk=request.user.pk).update(language=code)
    query = request.GET.copy()
    del query["language"]
    # A path that starts with two slashes would be another site's address.
    path = escape_leading_slashes(escape_uri_path(request.path))
    redirect = HttpResponseRedirect(path + (f"?{query.urlencode()}" if query else ""))
    redirect.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=31_536_000,
        samesite="Lax",
        httponly=True,
        secure=settings.PRODUCTION,
    )
    return redirect


def private_pages(get_response: Answer) -> Answer:
    """A page made for a signed-in person is kept by nobody on the way."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.user.is_authenticated and not request.path.startswith(settings.STATIC_URL):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware


def no_nul(get_response: Answer) -> Answer:
    """PostgreSQL takes no NUL in a text, so an address that holds one can name nothing here."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("a NUL character in the address")
        return get_response(request)

    return middleware


def api_methods(get_response: Answer) -> Answer:
    """A method that an API address does not know is a problem like every other refusal there."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or not request.path.startswith("/api/"):
            return response
        allowed = response.headers.get("Allow", "")
        detail = _("This address does not take %(method)s. Use one of: %(allowed)s.")
        answer = problem(405, "method_not_allowed", detail % {"method": request.method, "allowed": allowed})
        if allowed:
            answer.headers["Allow"] = allowed
        return answer

    return middleware
