"""Names of archive members: which may become files on every system, and which are refused with what code."""

import re
import unicodedata
from typing import Final

MAX_PATH: Final = 1000  # bytes
MAX_PART: Final = 200
MAX_DEPTH: Final = 40
_RESERVED: Final = re.compile(r"(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$")
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Refused(ValueError):
    """An archive that is not unpacked: a stable code, the member's shown name, and what in plain English."""

    def __init__(self, code: str, message: str, member: str = "") -> None:
        super().__init__(f"{message} ({member})" if member else message)
        self.code, self.message, self.member = code, message, member


def shown(name: str) -> str:
    """A name that can be printed anywhere: controls and direction marks made visible."""
    clean = "".join(
        character if character.isprintable() and character not in _BIDI else f"\\u{ord(character):04x}"
        for character in name[:300]
    )
    return clean.encode("utf-8", "replace").decode()


def member_path(name: str) -> str:
    """The path of a member, relative and composed, empty for the root itself; raises Refused."""
    if "\0" in name:
        raise Refused("name_control", "A member's name holds a NUL character.", shown(name))
    if "\\" in name:
        raise Refused(
            "backslash", "A member's name holds a backslash, which is a separator on some systems.", shown(name)
        )
    if name.startswith("/"):
        raise Refused("absolute_path", "A member has an absolute path.", shown(name))
    if re.match(r"[A-Za-z]:", name):
        raise Refused("absolute_path", "A member's path names a drive.", shown(name))
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise Refused("name_not_unicode", "A member's name is not UTF-8 text.", shown(name)) from None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if size > MAX_PATH or len(parts) > MAX_DEPTH:
        raise Refused("name_too_long", "A member's path is too long or too deep.", shown(name))
    for part in parts:
        _check_part(part, name)
    return unicodedata.normalize("NFC", "/".join(parts))


def folded(path: str) -> str:
    """The same text for all paths that some file system takes for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _check_part(part: str, name: str) -> None:
    if part == "..":
        raise Refused("parent_path", "A member's path climbs out of the archive.", shown(name))
    if len(part.encode()) > MAX_PART:
        raise Refused("name_too_long", f"A name is longer than {MAX_PART} bytes.", shown(name))
    if any(character in _BIDI or unicodedata.category(character) in ("Cc", "Cs") for character in part):
        raise Refused("name_control", "A member's name holds a control or direction character.", shown(name))
    if any(character in '<>:"|?*' for character in part) or part[-1] in ". ":
        raise Refused("name_reserved", "A name cannot be used on every system.", shown(name))
    if _RESERVED.match(part):
        raise Refused("name_reserved", "A name is reserved on some systems.", shown(name))
