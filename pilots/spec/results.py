"""One line of results.jsonl: what it says, or why it says nothing that can be counted."""

import json
import math
import re
from typing import Any, Final, Literal, NamedTuple

from pilots.spec.lines import MAX_LINE
from pilots.spec.manifest import clean_id

MAX_DEPTH: Final = 100
Said = Literal["accepted", "refused", "malformed", "blank"]

# Why a line is malformed, for the command line; the site translates the codes.
MALFORMED: Final[dict[str, str]] = {
    "too_long": f"The line is longer than {MAX_LINE} bytes.",
    "nul": "The line holds NUL characters, as a crash of the machine leaves them.",
    "not_utf8": "The line is not UTF-8 text.",
    "not_json": "The line is not valid JSON.",
    "too_deep": "The values nest too deeply.",
    "bad_text": "A text holds NUL or half a Unicode pair.",
    "bad_number": "A number is not finite or too large.",
    "not_object": "The line is JSON but not an object.",
    "id_missing": "The line has no id.",
    "id_not_text": "The id is not a text.",
    "status_missing": "The line has no status.",
    "status_unknown": "The status is neither “accepted” nor “refused”.",
}


class Line(NamedTuple):
    """What one line says. `category` and `reason` are None where absent or not a text; `value` is the whole object."""

    said: Said
    id: str = ""
    category: str | None = None
    reason: str | None = None
    code: str = ""  # of MALFORMED
    value: dict[str, Any] | None = None


BLANK: Final = Line("blank")
_ODD_NUMBER = re.compile(rb"[0-9]{300}|[eE]\+?[0-9]{3}")


_PLAIN = r'[^"\\\x00-\x1f]'
_OTHER_KEYS = (
    rf', ?"(?!id"|status"|category"|reason"){_PLAIN}*+": ?'
    rf'(?:"{_PLAIN}*+"|-?(?:0|[1-9][0-9]{{0,15}})(?:\.[0-9]{{1,17}})?|true|false|null)'
)
# One match a line: id, category and reason of the form that nearly every program writes, or the line as it is for
# `read_line` to judge. What this form accepts, `read_line` reads in the same way; a property test holds them together.
USUAL: Final = re.compile(
    rf'^(?:\{{"id": ?"({_PLAIN}++)", ?"status": ?"'
    rf'(?:accepted", ?"category": ?"({_PLAIN}++)"|refused", ?"reason": ?"({_PLAIN}++)")'
    rf"(?:{_OTHER_KEYS})*+\}}\r?|(.*))$",
    re.MULTILINE,
)


def usual(identity: str, category: str, reason: str) -> "Line":
    """The line that a match of USUAL says."""
    if category:
        return Line("accepted", clean_id(identity), category=_text(category))
    return Line("refused", clean_id(identity), reason=_text(reason))


class _NotFinite(ValueError):
    pass


def _no_constant(word: str) -> float:
    raise _NotFinite(word)


_decoder = json.JSONDecoder(parse_constant=_no_constant)


def read_line(line: bytes, number: int = 0) -> Line:
    """What a line says, with or without its newline; a byte order mark is dropped from line 1."""
    value, code = read_json(line, number)
    if code:
        return BLANK if code == "blank" else _malformed(code)
    return _say(value)


def read_json(line: bytes, number: int = 0) -> tuple[Any, str]:
    """The JSON value of a line, or a code: "blank", or one of MALFORMED."""
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    line = line.strip(b" \t\r\n")
    if not line:
        return None, "blank"
    if len(line) > MAX_LINE:
        return None, "too_long"
    if b"\0" in line:
        return None, "nul"
    try:
        value = _decoder.decode(line.decode())
    except UnicodeDecodeError:
        return None, "not_utf8"
    except _NotFinite:
        return None, "bad_number"
    except RecursionError:
        return None, "too_deep"
    except json.JSONDecodeError:
        return None, "not_json"
    except ValueError:  # Python refuses to read integers of thousands of figures
        return None, "bad_number"
    return value, _unfit(line, value)


def _malformed(code: str) -> Line:
    return Line("malformed", code=code)


def _say(value: Any) -> Line:
    if type(value) is not dict:
        return _malformed("not_object")
    identity, status = value.get("id"), value.get("status")
    if type(identity) is not str:
        return _malformed("id_missing" if "id" not in value else "id_not_text")
    identity = clean_id(identity)
    if status == "accepted":
        return Line("accepted", identity, category=_text(value.get("category")), value=value)
    if status == "refused":
        return Line("refused", identity, reason=_text(value.get("reason")), value=value)
    return _malformed("status_missing" if "status" not in value else "status_unknown")


def _text(value: Any) -> str | None:
    return clean_id(value) if type(value) is str and value.strip() else None


def _unfit(line: bytes, value: Any) -> str:
    """What a database's JSON column would refuse, and so would stop every line behind it."""
    nested = line.count(b"[") + line.count(b"{") > MAX_DEPTH
    if not nested and b"\\u" not in line and not _ODD_NUMBER.search(line):
        return ""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
            elif isinstance(item, str):
                if "\0" in item or any("\ud800" <= character <= "\udfff" for character in item):
                    return "bad_text"
            elif isinstance(item, float) and not math.isfinite(item):
                return "bad_number"
        if not below:
            return ""
        level = below
    return "too_deep"
