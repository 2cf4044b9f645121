"""What a run came to, by API: the balance sheet, its items, strays and spot checks."""

import base64
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from ninja import Router

from common.api import auth
from common.api.answers import answer
from common.api.cursor import page
from common.api.idempotency import idempotent
from common.refusals import Refusal
from pilots import guards, items
from pilots.api import present
from pilots.api.shapes import ItemsOut, ReviewIn, ReviewOut, StraysOut
from pilots.runs import judging
from rental.guards import person

router = Router()
PAGE = 200
MOST_AT_ONCE = 20_000  # declared ids of a sheet that is computed while its run goes on


@router.get("/runs/{ref}/sheet", auth=auth.read, response=dict[str, Any], summary="The balance sheet")
def sheet(request: HttpRequest, ref: str) -> Any:
    """As judged; before that, as it stands now."""
    run = guards.run_for(request.user, ref)
    if run.sheet is None and (run.is_final or run.declared > MOST_AT_ONCE):
        raise Refusal("no_sheet", _("This run has no balance sheet: read its counts and verdicts."), status=404)
    return run.sheet if run.sheet is not None else judging.sheet_of(run)


@router.get("/runs/{ref}/items", auth=auth.read, response=ItemsOut, summary="Every declared id, in order")
def list_items(
    request: HttpRequest,
    ref: str,
    cursor: str | None = None,
    status: Literal["", "accepted", "refused", "missing"] = "",
    category: str = "",
    reason: str = "",
    disagreement: bool = False,
    reviewed: Literal["", "right", "wrong", "unsure", "none"] = "",
) -> Any:
    run = guards.run_for(request.user, ref)
    wanted = items.Filters(status, category, reason, disagreement, reviewed)
    found = items.page(run, wanted, after=_position(cursor), limit=PAGE)
    return {"items": [present.item(row) for row in found.rows], "next": _cursor(found.next)}


@router.get("/runs/{ref}/strays", auth=auth.read, response=StraysOut, summary="Lines that were kept, not counted")
def strays(request: HttpRequest, ref: str, cursor: str | None = None) -> Any:
    rows, after = page(items.strays(guards.run_for(request.user, ref)), cursor, descending=False)
    return {"items": [present.stray(row) for row in rows], "next": after}


@router.post("/runs/{ref}/items/{path:item}/review", auth=auth.pilot, response={201: ReviewOut}, summary="A spot check")
@idempotent(answer(201))
def review(request: HttpRequest, ref: str, item: str, payload: ReviewIn) -> Any:
    run = guards.run_for(request.user, ref)
    return present.review(items.review(run, item, by=person(request), verdict=payload.verdict, note=payload.note))


def _cursor(position: int | None) -> str | None:
    return None if position is None else base64.urlsafe_b64encode(str(position).encode()).decode()


def _position(cursor: str | None) -> int:
    if not cursor:
        return -1
    try:
        position = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except ValueError:
        position = -1
    if not 0 <= position < 2**31:
        raise Refusal("bad_cursor", _("This cursor is not one of ours. Start the list again."), status=422)
    return position
