"""A small API beside the real one, to look at the plumbing alone."""

import json
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI, Schema
from pydantic import Field, StrictBool, StrictInt

from common.api import auth, problems
from common.api.idempotency import idempotent
from common.models import ApiToken
from common.refusals import Refusal
from rental.urls import handler400, handler403, handler404, handler500, urlpatterns  # noqa: F401

api = NinjaAPI(urls_namespace="probe", docs_url=None)
problems.install(api)


class ThingIn(Schema):
    name: str = Field(min_length=1, max_length=5)
    lots: StrictInt = Field(ge=1, le=10)
    kind: Literal["a", "b"] = "a"
    sure: StrictBool = True


def rendered(request: HttpRequest, result: Any) -> HttpResponse:
    return HttpResponse(json.dumps(result), status=201, content_type="application/vnd.thing+json")


@api.post("/things", auth=auth.order)
@idempotent(rendered)
def make(request: HttpRequest, thing: ThingIn) -> Any:
    if thing.name == "no":
        raise Refusal("no_thing", "Not this one.", field="name", data={"tries": 1})
    # The number of rows is the effect that must happen once.
    row, _plain = ApiToken.issue(request.user, thing.name, [])  # type: ignore[arg-type]
    return {"id": row.pk, "lots": thing.lots}


@api.get("/desk", auth=auth.desk)
def at_desk(request: HttpRequest) -> Any:
    return {"who": str(request.user)}


@api.get("/broken", auth=auth.read)
def broken(request: HttpRequest) -> Any:
    raise RuntimeError("on purpose")


urlpatterns = [path("api/probe/", api.urls), *urlpatterns]
