"""A refusal: what is wrong, where, and what to do, with a code that stays the same for ever."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise


class Refusal(Exception):
    """An act that was not done, and nothing was changed by it.

    Pages show `sentence` at `field`; the API answers an RFC 9457 problem with `code` and `data`.

    Args:
        code: stable, lower-case with underscores, e.g. `insufficient_balance`.
        sentence: a lazy translation that says what to do, already filled with its figures.
        status: the HTTP status of the API's answer (409 unless the input itself is wrong: 422).
        field: the form field it belongs to, if any.
        data: facts for the API's answer (integers and strings).
    """

    def __init__(
        self,
        code: str,
        sentence: "str | Promise",
        *,
        status: int = 409,
        field: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.sentence = sentence
        self.status = status
        self.field = field
        self.data = dict(data or {})

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"
