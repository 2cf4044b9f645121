"""Declared ids with what became of them, in the manifest's order; strays apart; a person's verdict on one."""

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import storage
from pilots.models import Declared, Item, Review, Run
from rental.models import User

MOST_FACETS = 50


@dataclass(frozen=True)
class Row:
    """One declared id. `item` is None while there is no line for it; `status` is then `missing`."""

    declared: Declared
    item: Item | None
    review: Review | None

    @property
    def status(self) -> str:
        return self.item.status if self.item else "missing"

    @property
    def expected(self) -> str:
        """The expected category, empty when there is none."""
        return self.declared.expected


@dataclass(frozen=True)
class Filters:
    """What a list of items is narrowed to; empty means all."""

    status: str = ""  # accepted, refused, missing
    category: str = ""
    reason: str = ""
    disagreement: bool = False
    reviewed: str = ""  # right, wrong, unsure, none

    @property
    def about_lines(self) -> bool:
        """Only ids that have a line can pass."""
        return bool(self.status in ("accepted", "refused") or self.category or self.reason or self.disagreement)


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    next: int | None  # `after=` of the next page
    previous: int | None  # `before=` of the page before; None on the first


def page(
    run: Run, filters: Filters | None = None, *, after: int = -1, before: int | None = None, limit: int = 100
) -> Page:
    """Declared ids after (or before) a manifest position that pass every filter given, with their lines.

    Keyset pages: an index finds the first row, whatever the run holds.
    """
    found = _positions(run, filters or Filters(), after, before, limit + 1)
    more = len(found) > limit
    found = found[:limit]
    if before is not None:
        found.reverse()
    rows = _rows(run, found)
    if before is not None:
        return Page(rows, found[-1] if found else None, found[0] if more else None)
    started = after >= 0 and bool(found)
    return Page(rows, found[-1] if more else None, found[0] if started else None)


def one(run: Run, item_id: str) -> Row:
    """One declared id of the run; Http404 when it was not declared."""
    declared = Declared.objects.filter(spec=run.pilot.spec, item_id=item_id).first()
    if declared is None:
        raise Http404
    return _rows(run, [declared.position])[0]


def strays(run: Run) -> QuerySet[Item]:
    """Duplicated, invented and malformed lines, in the order they came."""
    return run.items.exclude(kind=Item.Kind.RESULT).order_by("pk")


def sample(run: Run) -> list[Row]:
    """What a person should look at: refusals, disagreements, the least sure, the longest, the shortest, a few."""
    results = run.items.filter(kind=Item.Kind.RESULT)
    declared = Declared.objects.filter(spec=run.pilot.spec)
    choices: list[Iterable[int | None]] = [
        results.filter(status=Item.Status.REFUSED).order_by("position").values_list("position", flat=True)[:20],
        results.filter(agrees=False).order_by("position").values_list("position", flat=True)[:20],
        results.filter(margin__isnull=False).order_by("margin").values_list("position", flat=True)[:3],
        declared.order_by("-size", "position").values_list("position", flat=True)[:1],
        declared.order_by("size", "position").values_list("position", flat=True)[:1],
        spread(run, 3),
    ]
    chosen = dict.fromkeys(position for some in choices for position in some if position is not None)
    return _rows(run, list(chosen))


def spread(run: Run, count: int) -> list[int]:
    """A few positions that the run's own reference chooses: random to the program, the same at each look."""
    if not run.declared:
        return []
    seed = int.from_bytes(run.ref.encode(), "big")
    step = max(1, run.declared // count)
    return sorted({(seed + number * step) % run.declared for number in range(count)})


def content(run: Run, declared: Declared, limit: int = 200_000) -> tuple[bytes, bool]:
    """The input's own bytes, read from the kept archive, at most `limit`; and whether that is all of it."""
    project = run.pilot.project
    if project is None:
        raise Http404
    path, _hash, line = declared.path.partition("#")
    try:
        with zipfile.ZipFile(storage.path_of(project.host_path)) as archive, archive.open(path) as file:
            row = next(islice(file, int(line) - 1, None), b"").rstrip(b"\r\n") if line else None
            data = file.read(limit + 1) if row is None else row
    except (KeyError, FileNotFoundError, ValueError):
        raise Http404 from None
    return data[:limit], len(data) <= limit


def review(run: Run, item_id: str, *, by: User, verdict: str, note: str = "") -> Review:
    """Record a spot check; an earlier one is superseded, not edited. The same word again changes nothing."""
    if verdict not in Review.Verdict.values:
        raise Refusal("verdict_unknown", _("Say right, wrong or unsure."), status=422, field="verdict")
    note = note.strip()
    if len(note) > 2000 or "\0" in note:
        raise Refusal("note_too_long", _("A note has at most 2,000 characters."), status=422, field="note")
    declared = one(run, item_id).declared
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)  # one verdict after the other
        inforce = Review.objects.filter(run=run, declared=declared, superseded_at=None)
        known = inforce.first()
        if known is not None and (known.verdict, known.note, known.by_id) == (verdict, note, by.pk):
            return known
        now = timezone.now()
        inforce.update(superseded_at=now)
        return Review.objects.create(run=run, declared=declared, verdict=verdict, note=note, by=by, at=now)


def review_counts(run: Run) -> dict[str, int]:
    """`right`, `wrong`, `unsure`, and `none`: the declared ids that nobody looked at."""
    counts = dict.fromkeys(Review.Verdict.values, 0)
    rows = Review.objects.filter(run=run, superseded_at=None).values("verdict").annotate(count=Count("pk"))
    counts |= {row["verdict"]: row["count"] for row in rows}
    return {**counts, "none": run.declared - sum(counts.values())}


def facets(run: Run) -> dict[str, dict[str, int]]:
    """Counts for the filters: `status`, `category`, `reason` (the most frequent). From the sheet where there is one."""
    status = {"accepted": run.accepted, "refused": run.refused, "missing": run.missing}
    if run.sheet:
        categories, reasons = run.sheet["categories"], run.sheet["reasons"]
        few = {name: dict(islice(counts.items(), MOST_FACETS)) for name, counts in
               (("category", categories), ("reason", reasons))}  # fmt: skip
        return {"status": status, **few}
    results = run.items.filter(kind=Item.Kind.RESULT)
    return {
        "status": status,
        "category": _counts(results.filter(status=Item.Status.ACCEPTED), "category"),
        "reason": _counts(results.filter(status=Item.Status.REFUSED), "reason"),
    }


def _counts(rows: QuerySet[Item], name: str) -> dict[str, int]:
    found = rows.values(name).annotate(count=Count("pk")).order_by("-count", name)[:MOST_FACETS]
    return {row[name]: row["count"] for row in found}


def _positions(run: Run, filters: Filters, after: int, before: int | None, most: int) -> list[int]:
    where = Q(position__gt=after) if before is None else Q(position__lt=before)
    order = "position" if before is None else "-position"
    reviews = Review.objects.filter(run=run, superseded_at=None)
    if filters.about_lines:
        items = Item.objects.filter(where, run=run, kind=Item.Kind.RESULT)
        items = _narrowed(items, filters)
        if filters.reviewed:
            items = items.annotate(here=Exists(_reviewed(reviews, filters, run))).filter(
                here=filters.reviewed != "none"
            )
        found = items.order_by(order).values_list("position", flat=True)[:most]
        return [position for position in found if position is not None]
    rows = Declared.objects.filter(where, spec=run.pilot.spec)
    if filters.status == "missing" and not run.missing:
        return []
    if filters.status == "missing":
        rows = rows.filter(~Exists(Item.objects.filter(run=run, position=OuterRef("position"))))
    if filters.reviewed:
        looked_at = Exists(_verdict(reviews, filters).filter(declared=OuterRef("pk")))
        rows = rows.filter(~looked_at if filters.reviewed == "none" else looked_at)
    return list(rows.order_by(order).values_list("position", flat=True)[:most])


def _narrowed(items: QuerySet[Item], filters: Filters) -> QuerySet[Item]:
    if filters.status:
        items = items.filter(status=filters.status)
    if filters.category:
        items = items.filter(category=filters.category)
    if filters.reason:
        items = items.filter(reason=filters.reason)
    if filters.disagreement:
        items = items.filter(agrees=False)
    return items


def _verdict(reviews: QuerySet[Review], filters: Filters) -> QuerySet[Review]:
    return reviews if filters.reviewed == "none" else reviews.filter(verdict=filters.reviewed)


def _reviewed(reviews: QuerySet[Review], filters: Filters, run: Run) -> QuerySet[Review]:
    return _verdict(reviews, filters).filter(declared__spec=run.pilot.spec, declared__position=OuterRef("position"))


def _rows(run: Run, positions: list[int]) -> list[Row]:
    """Three queries for any number of positions."""
    declared = {row.position: row for row in Declared.objects.filter(spec=run.pilot.spec, position__in=positions)}
    items = {row.position: row for row in Item.objects.filter(run=run, position__in=positions)}
    reviews = {
        row.declared_id: row
        for row in Review.objects.filter(run=run, superseded_at=None, declared__in=list(declared.values()))
    }
    return [
        Row(declared[position], items.get(position), reviews.get(declared[position].pk))
        for position in positions
        if position in declared
    ]
