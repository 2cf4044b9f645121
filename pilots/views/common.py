"""What several pages of the room share: the person behind a request, refusals as notes, downloads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header

from common.refusals import Refusal
from rental.models import User

Done = TypeVar("Done")
# What a program or a customer wrote is never shown by the browser itself: it is saved, and can run nothing.
SANDBOX = "sandbox; default-src 'none'"


def person(request: HttpRequest) -> User:
    """The signed-in person; the views that call it let nobody else in."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101 (for the type checker)
    return user


def attempt(request: HttpRequest, act: Callable[[], Done]) -> Done | None:
    """Do an act; what was refused becomes a note on the next page, and nothing was changed."""
    try:
        return act()
    except Refusal as refusal:
        messages.error(request, str(refusal.sentence))
        return None


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with, an empty one too; None on a page that is only opened."""
    return request.POST if request.method == "POST" else None


def to(name: str, *args: Any) -> HttpResponseRedirect:
    return redirect(name, *args)


def _saved(response: StreamingHttpResponse, name: str) -> StreamingHttpResponse:
    """The middleware that writes the site's own policy leaves one that is there alone."""
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Content-Security-Policy"] = SANDBOX
    response["X-Content-Type-Options"] = "nosniff"
    return response


def download(path: Path, name: str, content_type: str = "application/octet-stream") -> StreamingHttpResponse:
    """A file to be saved under `name`, whatever it holds."""
    return _saved(FileResponse(path.open("rb"), content_type=content_type), name)


def download_bytes(data: bytes | Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    """Bytes to be saved under `name`."""
    chunks = iter([data]) if isinstance(data, bytes) else data
    return _saved(StreamingHttpResponse(chunks, content_type=content_type), name)
