"""A field for a coin's amount: an exact integer of its smallest unit, however many digits a wei needs."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext_lazy as _

DIGITS = 78  # 2**256 - 1 has 78 digits

if TYPE_CHECKING:
    _Base = models.Field[int, int]
else:
    _Base = models.Field


class UnitsField(_Base):
    """An integer ≥ 0 of a coin's smallest unit.

    PostgreSQL keeps numeric(78, 0). SQLite would turn large numbers into floats, so there it is text: never sum or
    order by it in SQL, add up in Python.
    """

    description = "smallest units of a coin"

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return f"numeric({DIGITS}, 0)" if connection.vendor == "postgresql" else f"varchar({DIGITS})"

    def from_db_value(self, value: Any, *_rest: Any) -> int | None:
        return None if value is None else int(value)

    def to_python(self, value: Any) -> int | None:
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        try:
            return int(str(value))
        except ValueError:
            raise ValidationError(_("Enter a whole number of the coin's smallest unit.")) from None

    def get_prep_value(self, value: Any) -> int | None:
        units = self.to_python(super().get_prep_value(value))
        if units is not None and not 0 <= units < 10**DIGITS:
            raise ValueError("units must be between 0 and 10**78 - 1")
        return units

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        value = value if prepared else self.get_prep_value(value)
        return value if value is None or connection.vendor == "postgresql" else str(value)
