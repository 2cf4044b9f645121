"""What every room's tests share."""

from typing import Any

from django.test import TransactionTestCase

from tests.database import rules_lifted

_empty = TransactionTestCase._fixture_teardown


def _empty_whatever_is_kept_for_ever(case: Any) -> None:
    with rules_lifted():
        _empty(case)


# Tests with real threads commit, and are emptied afterwards: the ledger's rules would refuse that too.
TransactionTestCase._fixture_teardown = _empty_whatever_is_kept_for_ever  # type: ignore[method-assign]
