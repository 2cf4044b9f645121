"""Project archives by API."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import File, Router
from ninja.files import UploadedFile

from common.api import auth
from common.api.answers import answer
from common.api.idempotency import idempotent
from pilots import guards, projects
from pilots.api import present
from pilots.api.shapes import ProjectOut
from rental.guards import person

router = Router()


@router.post("/projects", auth=auth.pilot, response={201: ProjectOut}, summary="Send a project as zip or tar.gz")
@idempotent(answer(201))
def receive(request: HttpRequest, archive: Annotated[UploadedFile, File()]) -> Any:
    return present.project(projects.receive(person(request), archive))


@router.get("/projects/{ref}", auth=auth.read, response=ProjectOut, summary="A project and its preflight")
def one(request: HttpRequest, ref: str) -> Any:
    return present.project(guards.project_for(request.user, ref))
