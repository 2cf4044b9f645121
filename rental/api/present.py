"""How rows of the rental room look in the API."""

from typing import Any

from common.api.answers import instant, instant_or_none
from rental.choosing.fits import Fit, Fits
from rental.models import Card, Order, OrderMove, Price, Quote, User


def card(row: Card, lots_free: int, prices: list[Price], fits: Fits) -> dict[str, Any]:
    return {
        "slug": row.slug,
        "name": row.name,
        "vendor": row.vendor,
        "backend": row.backend,
        "memory_gb": row.memory_gb,
        "cards_per_lot": row.cards_per_lot,
        "lots_free": max(lots_free, 0),
        "prices": [{"days": p.days, "unit_price_cents": p.cents} for p in sorted(prices, key=lambda p: p.days)],
        "example_prices": any(p.example for p in prices),
        "verdicts": [fit(one) for one in fits.of(row).values()],
    }


def fit(one: Fit) -> dict[str, Any]:
    """A verdict on a card with a preparation; `proved_at` is empty where nothing was observed."""
    return {
        "preparation": one.preparation,
        "level": one.level,
        "reasons": [{"code": code, "detail": text} for code, text in zip(one.codes, one.reasons, strict=True)],
        "proved_at": instant_or_none(one.proof.at if one.proof else None),
        "run": one.proof.run if one.proof and one.proof.run else None,
    }


def quote(row: Quote) -> dict[str, Any]:
    return {"id": row.pk, **_bought(row), "expires_at": instant(row.expires_at)}


def order(row: Order) -> dict[str, Any]:
    times = ("placed_at", "pay_until", "paid_at", "promised_at", "delivered_at", "ends_at", "ended_at")
    return {
        "code": row.code,
        "state": str(row.state),
        **_bought(row),
        **{name: instant_or_none(getattr(row, name)) for name in times},
        "late_hours": row.late_hours,
        "replaces": row.replaces.code if row.replaces else None,
    }


def order_with_moves(row: Order, reader: User) -> dict[str, Any]:
    return {**order(row), "moves": [move(m, reader) for m in row.moves.all()]}


def move(row: OrderMove, reader: User) -> dict[str, Any]:
    """`by` says who acted without naming an operator: you, operator, customer or system."""
    by = "system" if row.actor_id is None else "you" if row.actor_id == reader.pk else "operator"
    if by == "operator" and row.actor_id == row.order.customer_id:
        by = "customer"
    return {
        "old": row.old,
        "new": row.new,
        "code": row.code,
        "sentence": row.get_code_display(),
        "by": by,
        "at": instant(row.at),
        "note": row.note,
    }


def _bought(row: Quote | Order) -> dict[str, Any]:
    return {
        "card": row.card.slug,
        "days": row.days,
        "lots": row.lots,
        "cards": row.cards,
        "preparation": row.preparation,
        "preparation_note": row.preparation_note,
        "unit_price_cents": row.unit_price_cents,
        "total_cents": row.total_cents,
    }
