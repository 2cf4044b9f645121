"""Pilots, their tries and decisions by API."""

from typing import Any

from django.http import Http404, HttpRequest
from ninja import Router

from common.api import auth
from common.api.answers import answer
from common.api.cursor import page
from common.api.idempotency import idempotent
from pilots import decisions, drafts, guards, runs
from pilots.api import present
from pilots.api.shapes import (
    DecisionIn,
    DecisionOut,
    DecisionsOut,
    PilotIn,
    PilotOut,
    PilotsOut,
    RunIn,
    RunOut,
    RunsOut,
)
from pilots.models import Host
from rental.guards import order_for, person

router = Router()
AS_BEFORE = RunIn(host=None)


def _host(request: HttpRequest, name: str | None) -> Host | None:
    if name is None:
        return None
    host = guards.hosts_for(request.user).filter(name=name).first()
    if host is None:
        raise Http404
    return host


@router.post("/pilots", auth=auth.pilot, response={201: PilotOut}, summary="Freeze a project as a pilot")
@idempotent(answer(201))
def create(request: HttpRequest, payload: PilotIn) -> Any:
    customer = person(request)
    pilot = drafts.create(
        customer,
        title=payload.title,
        project=guards.project_for(customer, payload.project),
        order=order_for(customer, payload.order) if payload.order else None,
        host=_host(request, payload.host),
        previous=guards.pilot_for(customer, payload.previous) if payload.previous else None,
    )
    return present.pilot(pilot)


@router.get("/pilots", auth=auth.read, response=PilotsOut, summary="Your pilots, newest first")
def pilots(request: HttpRequest, cursor: str | None = None) -> Any:
    rows, after = page(guards.pilots_of(request.user).select_related("project", "spec"), cursor)
    return {"items": [present.pilot(row) for row in rows], "next": after}


@router.get("/pilots/{ref}", auth=auth.read, response=PilotOut, summary="A pilot with its criteria")
def one(request: HttpRequest, ref: str) -> Any:
    return present.pilot(guards.pilot_for(request.user, ref))


@router.post("/pilots/{ref}/runs", auth=auth.pilot, response={201: RunOut}, summary="Start the next try")
@idempotent(answer(201))
def start(request: HttpRequest, ref: str, payload: RunIn = AS_BEFORE) -> Any:
    pilot = guards.pilot_for(request.user, ref)
    return present.run(runs.start(pilot, person(request), host=_host(request, payload.host)))


@router.get("/pilots/{ref}/runs", auth=auth.read, response=RunsOut, summary="The tries of a pilot, newest first")
def tries(request: HttpRequest, ref: str, cursor: str | None = None) -> Any:
    rows = guards.pilot_for(request.user, ref).runs.select_related("pilot", "host", "resumes")
    found, after = page(rows, cursor)
    return {"items": [present.run(row) for row in found], "next": after}


@router.post("/pilots/{ref}/decisions", auth=auth.pilot, response={201: DecisionOut}, summary="Decide on evidence")
@idempotent(answer(201))
def decide(request: HttpRequest, ref: str, payload: DecisionIn) -> Any:
    pilot = guards.pilot_for(request.user, ref)
    return present.decision(decisions.decide(pilot, person(request), **payload.dict()))


@router.get("/pilots/{ref}/decisions", auth=auth.read, response=DecisionsOut, summary="Decisions, newest first")
def made(request: HttpRequest, ref: str, cursor: str | None = None) -> Any:
    rows = guards.pilot_for(request.user, ref).decisions.select_related("evidence__run")
    found, after = page(rows, cursor)
    return {"items": [present.decision(row) for row in found], "next": after}
