"""One run by API: where it is, its history, its files and its evidence."""

from typing import Any

from django.http import FileResponse, HttpRequest
from ninja import Router

from common.api import auth
from common.api.answers import answer
from common.api.cursor import page
from common.api.idempotency import idempotent
from pilots import evidence, guards, runs, shipped
from pilots.api import present
from pilots.api.shapes import EventsOut, FilesOut, KeyOut, RunOut
from pilots.evidence import keys
from rental.guards import person

router = Router()


@router.get("/runs/{ref}", auth=auth.read, response=RunOut, summary="Where a run is, and why it ended")
def one(request: HttpRequest, ref: str) -> Any:
    return present.run(guards.run_for(request.user, ref))


@router.post("/runs/{ref}/cancel", auth=auth.pilot, response=RunOut, summary="Ask for the end of a run")
@idempotent(answer(200))
def cancel(request: HttpRequest, ref: str) -> Any:
    return present.run(runs.cancel(guards.run_for(request.user, ref), person(request)))


@router.post("/runs/{ref}/resume", auth=auth.pilot, response={201: RunOut}, summary="Finish only what is missing")
@idempotent(answer(201))
def resume(request: HttpRequest, ref: str) -> Any:
    return present.run(runs.resume(guards.run_for(request.user, ref), person(request)))


@router.get("/runs/{ref}/events", auth=auth.read, response=EventsOut, summary="What happened, oldest first")
def events(request: HttpRequest, ref: str, cursor: str | None = None) -> Any:
    rows, after = page(guards.run_for(request.user, ref).events.all(), cursor, descending=False)
    return {"items": [present.event(row) for row in rows], "next": after}


@router.get("/runs/{ref}/files", auth=auth.read, response=FilesOut, summary="Shipped files")
def files(request: HttpRequest, ref: str) -> Any:
    return {"items": [present.file(row) for row in shipped.files(guards.run_for(request.user, ref))]}


@router.get("/runs/{ref}/files/{name}", auth=auth.read, summary="A shipped file, as it is held now")
def file(request: HttpRequest, ref: str, name: str, attempt: int | None = None) -> FileResponse:
    path = shipped.path(guards.run_for(request.user, ref), name, attempt)
    return _attachment(path.open("rb"), name, "application/octet-stream")


@router.get("/runs/{ref}/evidence", auth=auth.read, summary="The newest signed BagIt archive")
def archive(request: HttpRequest, ref: str, number: int | None = None) -> FileResponse:
    row = guards.evidence_for(request.user, ref, number)
    answer_ = _attachment(row.disk_path.open("rb"), row.file_name, "application/zip")
    answer_.headers["ETag"] = f'"{row.sha256}"'
    return answer_


@router.get("/evidence-key", auth=None, response=KeyOut, summary="The public key that signs evidence")
def key(request: HttpRequest) -> Any:
    public = keys.private_key().public_key()
    return {"key_id": keys.key_id(public), "pem": evidence.public_pem(public).decode()}


def _attachment(content: Any, name: str, kind: str) -> FileResponse:
    """What a program wrote is never shown as a page of ours: an attachment, in a sandbox, its type not guessed."""
    response = FileResponse(content, as_attachment=True, filename=name, content_type=kind)
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
