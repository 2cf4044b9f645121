"""What a coin is worth: the operator's table. Stale or missing means the asset is off, never a rate of one."""

import functools
import operator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from django.conf import settings
from django.db.models import Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.examples import EXAMPLE_RATES
from billing.ledger import Customer
from billing.models import Rate
from billing.networks import ASSETS
from common.formats import when
from common.refusals import Refusal

LONGEST: Final = timedelta(days=7)
EXAMPLE_VALID: Final = timedelta(days=2)
MICRO: Final = 1_000_000


def current(asset: str, now: datetime) -> Rate:
    """The newest line of the table for `asset`. Raises: Refusal `rate_missing` or `rate_stale`."""
    rate = Rate.objects.filter(asset=asset).order_by("-id").first()
    return _usable(asset, rate, now)


def newest_lines() -> QuerySet[Rate]:
    """The newest line of every asset, valid or not: one query of six index probes, the history is never scanned."""
    probes = (Rate.objects.filter(asset=asset).order_by("-id").values("id")[:1] for asset in ASSETS)
    return Rate.objects.filter(functools.reduce(operator.or_, (Q(id=Subquery(probe)) for probe in probes)))


def newest(now: datetime) -> dict[str, Rate | Refusal]:
    """For every asset the usable rate, or why there is none."""
    latest = {rate.asset: rate for rate in newest_lines()}
    found: dict[str, Rate | Refusal] = {}
    for asset in ASSETS:
        try:
            found[asset] = _usable(asset, latest.get(asset), now)
        except Refusal as why:
            found[asset] = why
    return found


def set_rate(asset: str, usd: Decimal, *, by: Customer, valid_for: timedelta, now: datetime | None = None) -> Rate:
    """Add a line to the table: `usd` for one whole coin, at most six digits after the point."""
    now = now or timezone.now()
    micro = usd * MICRO
    if asset not in ASSETS:
        raise Refusal("unknown_asset", _("Choose one of the assets listed."), status=422, field="asset")
    if not usd.is_finite() or micro != int(micro) or not 0 < micro < 10**18:
        raise Refusal(
            "invalid_rate",
            _("Enter what one coin is worth in USD, above zero, with at most six digits after the point."),
            status=422,
            field="usd",
        )
    if not timedelta() < valid_for <= LONGEST:
        raise Refusal("invalid_validity", _("A rate is valid for at most seven days."), status=422, field="valid_for")
    return Rate.objects.create(
        asset=asset, micro_usd=int(micro), set_by_id=by.pk, set_at=now, valid_until=now + valid_for
    )


def renew_examples(now: datetime) -> int:
    """Set the made-up rates again where none of the operator's own is in force; how many were set."""
    if settings.PRODUCTION:
        raise RuntimeError("example rates are for trials: set your own rates in production")
    made = 0
    for asset, micro in EXAMPLE_RATES.items():
        latest = Rate.objects.filter(asset=asset).order_by("-id").first()
        own = latest is not None and latest.source != Rate.Source.EXAMPLE and latest.is_valid(now)
        fresh = latest is not None and latest.valid_until > now + EXAMPLE_VALID / 2
        if own or fresh:
            continue
        Rate.objects.create(
            asset=asset, micro_usd=micro, source=Rate.Source.EXAMPLE, set_at=now, valid_until=now + EXAMPLE_VALID
        )
        made += 1
    return made


def _usable(asset: str, rate: Rate | None, now: datetime) -> Rate:
    if rate is None:
        raise Refusal(
            "rate_missing",
            _("%(asset)s is off: no rate is set. Choose another asset, or pay from your balance.") % {"asset": asset},
            data={"asset": asset},
        )
    if not rate.is_valid(now):
        raise Refusal(
            "rate_stale",
            _("%(asset)s is off: its rate was valid until %(until)s. Choose another asset, or pay from your balance.")
            % {"asset": asset, "until": when(rate.valid_until)},
            data={"asset": asset},
        )
    return rate
