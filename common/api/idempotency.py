"""`Idempotency-Key`: the same key and body get the same answer; another body is refused."""

import functools
import hashlib
from collections.abc import Callable
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from common.models import IdempotentAnswer
from common.refusals import Refusal

View = Callable[..., Any]


def digest_of(request: HttpRequest) -> str:
    """What was asked: method, path and body (an upload's own bytes included)."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if request.content_type == "multipart/form-data":
        for name in sorted(request.FILES):
            for upload in request.FILES.getlist(name):
                digest.update(f"{name}\n{upload.name}\n".encode())
                for chunk in upload.chunks():
                    digest.update(chunk)
                upload.seek(0)
        digest.update(repr(sorted(request.POST.lists())).encode())
    else:
        digest.update(request.body)
    return digest.hexdigest()


def idempotent(render: Callable[[HttpRequest, Any], HttpResponse]) -> Callable[[View], View]:
    """Wrap an operation that creates. `render` turns its result into the answer that is kept.

    The key's row, the act and the kept answer share one transaction: a refusal keeps nothing, so the same
    key may be tried again once what was wrong is mended.
    """

    def wrap(view: View) -> View:
        @functools.wraps(view)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            key = request.headers.get("Idempotency-Key", "")
            if not key:
                return render(request, view(request, *args, **kwargs))
            if len(key) > 200:
                raise Refusal("invalid_key", _("An Idempotency-Key has at most 200 characters."), status=422)
            digest = digest_of(request)
            # Only a bearer token comes this far, so the user is a person.
            owner = cast("Any", request.user)
            with transaction.atomic():
                try:
                    with transaction.atomic():
                        row = IdempotentAnswer.objects.create(owner=owner, key=key, request_digest=digest)
                except IntegrityError:
                    row = IdempotentAnswer.objects.select_for_update().get(owner=owner, key=key)
                    if row.request_digest != digest:
                        raise Refusal(
                            "key_reused", _("This Idempotency-Key was used for another request. Send a new key.")
                        ) from None
                    return HttpResponse(bytes(row.body or b""), status=row.status, content_type=row.content_type)
                answer = render(request, view(request, *args, **kwargs))
                row.status, row.body = answer.status_code, answer.content
                row.content_type = answer.headers["Content-Type"]
                row.save(update_fields=["status", "body", "content_type"])
                return answer

        return inner

    return wrap
