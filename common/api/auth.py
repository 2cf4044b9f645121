"""Bearer tokens with scopes."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from ninja.security import HttpBearer

from common.models import ApiToken
from common.refusals import Refusal


class Scoped(HttpBearer):
    """Lets a usable token through that carries `scope`; the token's owner becomes `request.user`."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        now = timezone.now()
        row = ApiToken.objects.select_related("owner").filter(digest=ApiToken.hash(token)).first()
        if row is None or not row.is_usable(now) or not row.owner.is_active:
            return None
        if self.scope not in row.scopes or (self.scope == "desk" and not row.owner.is_staff):
            raise Refusal(
                "scope_missing",
                _("This token may not do that. Make one with the scope named here."),
                status=403,
                data={"scope": self.scope},
            )
        # One write a minute is enough to say when a token was last used.
        if row.last_used_at is None or now - row.last_used_at > timedelta(minutes=1):
            ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
        request.user = row.owner
        if "Accept-Language" not in request.headers:
            translation.activate(row.owner.language)
        return row


read, order, pilot, desk = Scoped("read"), Scoped("order"), Scoped("pilot"), Scoped("desk")
