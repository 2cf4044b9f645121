"""What every room's tests share."""

from typing import Any

from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from tests.database import rules_lifted

_empty = TransactionTestCase._fixture_teardown


def _empty_whatever_is_kept_for_ever(case: Any) -> None:
    with rules_lifted():
        _empty(case)


# Tests with real threads commit, and are emptied afterwards: the ledger's rules would refuse that too.
TransactionTestCase._fixture_teardown = _empty_whatever_is_kept_for_ever  # type: ignore[method-assign]

# A busy machine is slow, and that is no fault of the code: deadlines and health of time are not what these tests prove.
settings.register_profile("kernodeck", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kernodeck")
