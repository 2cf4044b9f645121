"""What happens around every page: its language, and that a signed-in page stays private."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers

Answer = Callable[[HttpRequest], HttpResponse]
CODES = {code for code, _name in settings.LANGUAGES}


def language(get_response: Answer) -> Answer:
    """`?language=fr` is remembered in a cookie and dropped from the address; then cookie, account, browser."""

    def middleware(request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("language", "").lower()
        if asked in CODES and request.method == "GET":
            query = request.GET.copy()
            del query["language"]
            target = request.path + (f"?{query.urlencode()}" if query else "")
            redirect = HttpResponseRedirect(target)
            redirect.set_cookie(
                settings.LANGUAGE_COOKIE_NAME, asked, max_age=31_536_000, samesite="Lax", secure=settings.PRODUCTION
            )
            return redirect
        code = translation.get_language_from_request(request)
        translation.activate(code)
        request.LANGUAGE_CODE = code
        try:
            response = get_response(request)
        finally:
            translation.deactivate()
        response.headers.setdefault("Content-Language", code)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    return middleware


def private_pages(get_response: Answer) -> Answer:
    """A page made for a signed-in person is kept by nobody on the way."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.user.is_authenticated and not request.path.startswith(settings.STATIC_URL):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware
