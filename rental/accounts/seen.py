"""When a session was last seen: written every five minutes, so that reading a page stays a reading."""

import time
from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

KEY, EVERY = "seen", 300


@receiver(user_logged_in, dispatch_uid="session_seen")
def begin(request: HttpRequest, **_rest: Any) -> None:
    request.session[KEY] = int(time.time())


def last_seen(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def inner(request: HttpRequest) -> HttpResponse:
        # Only a session that signed in carries the mark: others are not even opened for it.
        now = int(time.time())
        if request.session.session_key and now - request.session.get(KEY, now) >= EVERY:
            request.session[KEY] = now
            UserSession.objects.filter(session_key=request.session.session_key).update(last_seen_at=timezone.now())
        return answer(request)

    return inner
