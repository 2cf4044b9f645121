"""What the pilots' calls take and give."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import BaseModel, Field

from common.api.answers import Text
from pilots.host.wire import Stage

Ref = Annotated[Text, Field(max_length=26, description="26 characters, as this API gave it")]
Outcome = Literal["", "completed", "failed", "cancelled", "lost", "refused"]


class FindingOut(Schema):
    code: str
    level: Literal["error", "warning", "note"]
    path: str
    line: int | None
    message: str


class ProjectOut(Schema):
    id: str
    name: str
    sha256: str = Field(description="of the archive as it was sent")
    size: int
    declared: int = Field(description="inputs that the manifest counts")
    received_at: str
    preflight: list[FindingOut]


class PilotIn(Schema):
    """`order` or `host` says where its runs go: one of your delivered orders, or one of their hosts."""

    project: Ref
    title: Annotated[Text, Field(min_length=1, max_length=120)]
    order: Annotated[Text, Field(max_length=16)] | None = None
    host: Annotated[Text, Field(max_length=40)] | None = None
    previous: Ref | None = Field(None, description="the pilot that this one is a new version of")


class PilotOut(Schema):
    id: str
    title: str
    state: Literal["draft", "frozen"]
    version: int
    project: str | None
    order: str | None
    host: str | None
    spec_sha256: str
    criteria: dict[str, Any]
    declared: int
    created_at: str
    frozen_at: str | None


class PilotsOut(Schema):
    items: list[PilotOut]
    next: str | None


class RunIn(BaseModel):
    # Not a Ninja Schema: with every field optional, that would take a list or a text for an empty body.
    host: Annotated[Text, Field(max_length=40)] | None = Field(None, description="another host of your orders")


class CountsOut(Schema):
    declared: int
    accepted: int
    refused: int
    missing: int
    strays: int
    steps: int


class RunOut(Schema):
    id: str
    pilot: str
    number: int
    resumes: str | None
    host: str
    attempt: int
    stage: Stage
    reached: Stage = Field(description="the furthest stage before its end")
    outcome: Outcome = Field(description="empty while it has not ended")
    reason: str
    fault: Literal["", "project", "host", "platform"]
    exit_code: int | None
    first_error: dict[str, Any] | None
    counts: CountsOut
    holds: bool | None = Field(description="null until it was judged")
    verdicts: list[dict[str, Any]] | None
    facts: dict[str, Any]
    silent: bool
    cancel_asked: bool
    queued_at: str
    claimed_at: str | None
    last_report_at: str | None
    ended_at: str | None
    verified_at: str | None
    verification_error: str
    evidence_sha256: str | None


class RunsOut(Schema):
    items: list[RunOut]
    next: str | None


class EventOut(Schema):
    at: str
    kind: str
    attempt: int
    stage: str
    old: str
    new: str
    code: str
    data: dict[str, Any]


class EventsOut(Schema):
    items: list[EventOut]
    next: str | None


class ItemOut(Schema):
    id: str
    position: int
    status: Literal["accepted", "refused", "missing"]
    category: str
    reason: str
    expected: str
    must_refuse: bool
    agrees: bool | None
    margin: float | None
    line: int | None
    size: int
    sha256: str
    extra: dict[str, Any]
    review: str = Field(description="right, wrong, unsure, or empty")


class ItemsOut(Schema):
    items: list[ItemOut]
    next: str | None


class StrayOut(Schema):
    kind: Literal["duplicated", "invented", "malformed"]
    attempt: int
    line: int
    id: str
    code: str
    raw: str


class StraysOut(Schema):
    items: list[StrayOut]
    next: str | None


class FileOut(Schema):
    name: str
    attempt: int
    size: int
    lines: int
    sha256: str = Field(description="of our own copy; empty until it was read again")
    updated_at: str


class FilesOut(Schema):
    items: list[FileOut]


class ReviewIn(Schema):
    verdict: Literal["right", "wrong", "unsure"]
    note: Annotated[Text, Field(max_length=2000)] = ""


class ReviewOut(Schema):
    item: str
    verdict: Literal["right", "wrong", "unsure"]
    note: str
    at: str


class DecisionIn(Schema):
    choice: Literal["launch", "fix", "revise"]
    reason: Annotated[Text, Field(min_length=1, max_length=4000)]
    evidence_sha256: Annotated[Text, Field(pattern="^[0-9a-fA-F]{64}$")]


class DecisionOut(Schema):
    id: int
    choice: Literal["launch", "fix", "revise"]
    reason: str
    evidence_sha256: str
    run: str
    at: str
    superseded_at: str | None


class DecisionsOut(Schema):
    items: list[DecisionOut]
    next: str | None


class KeyOut(Schema):
    key_id: str = Field(description="SHA-256 of the raw Ed25519 public key")
    pem: str
