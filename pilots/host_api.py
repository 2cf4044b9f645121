"""The hosts' own API, `/api/host/v1/`: what `pilots.host.wire` says, and nothing of any other run."""

import json
from typing import Annotated, Any, cast

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _
from ninja import Body, NinjaAPI, Query, Schema
from ninja.security import HttpBearer
from pydantic import Field, StrictInt

from common.api import problems
from common.api.answers import Text
from common.refusals import Refusal
from pilots import fleet, storage
from pilots.host import wire
from pilots.models import Host, Run
from pilots.models.host import hash_token
from pilots.runs import claiming, reporting

MOST_RANGE = 4 * 1024 * 1024  # bytes of one range of a file
MOST_JSON = 2 * 1024 * 1024

api = NinjaAPI(
    title="Kernodeck, for hosts",
    version=str(wire.WIRE_VERSION),
    openapi_url="/openapi.json",
    docs_url=None,
    urls_namespace="host-api",
)
problems.install(api)
Short = Annotated[Text, Field(max_length=64)]
Ref = Annotated[Text, Field(min_length=26, max_length=26)]


class HostToken(HttpBearer):
    """The host's own token, kept as a hash; a revoked host has none."""

    def authenticate(self, request: HttpRequest, token: str) -> Host | None:
        host = Host.objects.filter(token_digest=hash_token(token), revoked_at__isnull=True).first()
        if host is not None:
            fleet.seen(host)
        return host


class RunKey(HttpBearer):
    """The key of one attempt of one run. A replaced attempt is told so; any other key opens nothing."""

    def authenticate(self, request: HttpRequest, token: str) -> Run | None:
        ref = request.resolver_match.kwargs["run"] if request.resolver_match else ""
        run = Run.objects.select_related("pilot__project", "host").filter(ref=ref).first()
        if run is None:
            raise Http404
        if run.host.revoked_at is not None:
            raise Refusal("host_revoked", _("This host was taken off the fleet."), status=403)
        if constant_time_compare(run.key_digest, hash_token(token)):
            fleet.seen(run.host)
            return run
        if _was_key(run, token):
            raise Refusal("stale", _("Another attempt has begun. Stop, end the program and keep its files."))
        raise Refusal("key_refused", _("This key is not this run's."), status=403)


def _was_key(run: Run, token: str) -> bool:
    """Whether an earlier claim of this run was given this key."""
    claims = run.events.filter(kind="move", code="claimed").values_list("attempt", "data")
    return any(
        constant_time_compare(token, claiming.key_of(run, attempt, str(data.get("claim", ""))))
        for attempt, data in claims
    )


class Enrol(Schema):
    token: Annotated[str, Field(max_length=200)]
    name: Annotated[str, Field(max_length=40)] = ""
    facts: dict[str, Any] = Field(default_factory=dict)


class Hello(Schema):
    facts: dict[str, Any]


class Diagnostic(Schema):
    report: Annotated[list[dict[str, Any]], Field(max_length=fleet.MOST_RUNGS)]


class ClaimIn(Schema):
    run: Ref
    attempt: Annotated[StrictInt, Field(ge=1, le=1000)]
    claim: Annotated[Text, Field(min_length=8, max_length=64)]


class ReportIn(Schema):
    attempt: StrictInt
    claim: Short
    sizes: dict[str, int] = Field(default_factory=dict)


class FileFact(Schema):
    size: Annotated[StrictInt, Field(ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ManifestIn(Schema):
    attempt: StrictInt
    claim: Short
    outcome: Short
    reason: Annotated[Text, Field(max_length=60)]
    fault: Annotated[str, Field(pattern="^(project|host|platform)$")] | None = None
    exit_code: Annotated[StrictInt, Field(ge=-(2**31), lt=2**31)] | None = None
    files: dict[str, FileFact]


def host_of(request: HttpRequest) -> Host:
    return cast(Host, request.auth)  # type: ignore[attr-defined]


def run_of(request: HttpRequest) -> Run:
    return cast(Run, request.auth)  # type: ignore[attr-defined]


@api.post("/enrol", auth=None, operation_id="enrol")
def enrol(request: HttpRequest, payload: Enrol) -> HttpResponse:
    return _answer(fleet.enrol(payload.token, payload.name, payload.facts), status=201)


@api.post("/hello", auth=HostToken(), operation_id="hello")
def hello(request: HttpRequest, payload: Hello) -> HttpResponse:
    return _answer({"hello_seconds": fleet.hello(host_of(request), payload.facts)})


@api.post("/diagnostic", auth=HostToken(), operation_id="diagnostic")
def diagnostic(request: HttpRequest, payload: Diagnostic) -> HttpResponse:
    return _answer({"proved": fleet.diagnose(host_of(request), payload.report)})


@api.post("/claim", auth=HostToken(), operation_id="claim")
def claim(request: HttpRequest, payload: ClaimIn) -> HttpResponse:
    return _answer(claiming.claim(host_of(request), payload.run, payload.attempt, payload.claim))


@api.get("/runs/{run}/archive", auth=RunKey(), operation_id="archive")
def archive(request: HttpRequest, run: str) -> FileResponse:
    """The project without its expected answers; its hash and size are in the claim."""
    project = run_of(request).pilot.project
    if project is None or run_of(request).outcome:
        raise Http404
    return FileResponse(storage.path_of(project.host_path).open("rb"), content_type="application/zip")


@api.post("/runs/{run}/report", auth=RunKey(), operation_id="report")
def report(request: HttpRequest, run: str, payload: ReportIn) -> HttpResponse:
    return _answer(reporting.report(run_of(request), payload.attempt, payload.claim))


@api.post("/runs/{run}/files/{name}", auth=RunKey(), operation_id="append")
def append(
    request: HttpRequest,
    run: str,
    name: str,
    offset: Annotated[int, Query(ge=0)],
    attempt: Annotated[int, Query(ge=1)],
    claim: Annotated[str, Query(max_length=64)],
) -> HttpResponse:
    """A raw range of a shipped file. Answers what the site holds."""
    data = _body(request)
    return _answer({"held": reporting.append(run_of(request), attempt, claim, name, offset, data)})


@api.post("/runs/{run}/finish", auth=RunKey(), operation_id="finish")
def finish(request: HttpRequest, run: str, payload: Annotated[ManifestIn, Body()]) -> HttpResponse:
    manifest = cast(wire.Manifest, payload.model_dump())
    return _answer({"held": reporting.finish(run_of(request), manifest)})


def _body(request: HttpRequest) -> bytes:
    """The raw range, read within its own limit: it is larger than a form may be."""
    told = request.headers.get("Content-Length", "")
    if not told.isdecimal():
        raise Refusal("length_required", _("Say the range's length."), status=411)
    if int(told) > MOST_RANGE:
        raise Refusal("range_too_large", _("Send at most 4 MiB at a time."), status=413, data={"most": MOST_RANGE})
    data = request.read(int(told))
    if len(data) != int(told):
        raise Refusal("range_cut", _("The range ended too early. Send it again."), status=400)
    return data


def _answer(value: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(json.dumps(value, ensure_ascii=False), status=status, content_type="application/json")
