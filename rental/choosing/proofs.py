"""When a card with a preparation was last proved here: written when a run's diagnostic passed, read by the chooser."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery

from rental.models import Card, Order, Preparation, PreparationProof

# Rungs of the diagnostic that must have passed for a preparation; a custom one is each customer's own, never proved.
RUNGS: dict[str, tuple[int, ...]] = {Preparation.UBUNTU: (0,), Preparation.PYTORCH: (0, 2), Preparation.BLENDER: (11,)}


@dataclass(frozen=True)
class Proof:
    """The last proof; `run` is named only to whoever may open it."""

    at: datetime
    run: str = ""


def record(order: Order, *, cards: list[Card], rungs: dict[int, str], run_ref: str, at: datetime) -> bool:
    """Keep that a run's diagnostic passed on the order's own card with its preparation; once a run.

    Args:
        cards: cards on sale that the same diagnostic showed.
        rungs: its verdicts, by number; one that failed proves nothing at all.
    """
    needed = RUNGS.get(order.preparation)
    if needed is None or order.card not in cards or "failed" in rungs.values():
        return False
    if any(rungs.get(number) != "passed" for number in needed):
        return False
    row = {"order": order, "card": order.card, "preparation": order.preparation, "proved_at": at}
    return PreparationProof.objects.get_or_create(run_ref=run_ref, defaults=row)[1]


def latest(reader: Any) -> dict[tuple[int, str], Proof]:
    """The last proof by card and preparation."""
    newest = PreparationProof.objects.filter(card=OuterRef("card"), preparation=OuterRef("preparation"))
    rows = PreparationProof.objects.filter(pk=Subquery(newest.order_by("-proved_at", "-pk").values("pk")[:1]))
    own = reader.pk if getattr(reader, "is_authenticated", False) else None
    return {
        (row.card_id, row.preparation): Proof(row.proved_at, row.run_ref if row.order.customer_id == own else "")
        for row in rows.select_related("order")
    }
