"""Logs: whatever somebody typed, one event is one line of JSON."""

import json
import logging

import pytest

from common.logs import JsonFormatter

NASTY = 'a\r\n{"level": "ERROR"}\n\x1b[31mred\u2028\u202eevil\x00'


def lines_of(record: logging.LogRecord) -> list[str]:
    return JsonFormatter().format(record).splitlines()


@pytest.mark.parametrize("arguments", [(NASTY,), ()])
def test_line_breaks_and_escapes_stay_inside(arguments: tuple[str, ...]) -> None:
    message = "path %s" if arguments else NASTY.replace("%", "%%")
    record = logging.LogRecord("x", logging.WARNING, __file__, 1, message, arguments, None)
    (line,) = lines_of(record)
    assert line.isascii()
    assert "\x1b" not in line
    assert NASTY in json.loads(line)["message"]


def test_an_exception_is_part_of_the_line() -> None:
    try:
        raise ValueError(NASTY)
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed", (), info)
    (line,) = lines_of(record)
    assert "ValueError" in json.loads(line)["exception"]
