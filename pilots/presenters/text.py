"""Text that a program wrote, made safe to read: controls, escapes and hidden direction marks become visible."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.utils.translation import ngettext

from common import formats

# Joiners and the soft hyphen belong to ordinary writing (Persian, Hindi, emoji): showing them would spoil it.
ORDINARY = frozenset("\n\t\u200c\u200d\u00ad")
# A character the reader cannot see could make a page say something else than the file.
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if character in ORDINARY or unicodedata.category(character) not in HIDDEN:
        return character
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    return "\u2421" if point == 0x7F else f"⟨U+{point:04X}⟩"


def visible(text: str) -> str:
    """The text with every control, escape, direction and zero-width character written out; line ends stay."""
    plain = text.replace("\r\n", "\n")
    if plain.isascii() and plain.replace("\n", "").replace("\t", "").isprintable():
        return plain
    return "".join(map(_shown, plain))


def decoded(data: bytes) -> str:
    """Bytes as readable text; what is not UTF-8 is shown by the replacement mark, never hidden."""
    return visible(data.decode("utf-8", errors="replace"))


def is_text(data: bytes) -> bool:
    """Whether a first piece of a file reads as text: UTF-8 (a cut last character is forgiven) without NUL."""
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return fault.start >= len(data) - 3 and fault.reason == "unexpected end of data"
    return True


def names(values: Sequence[Any], most: int = 8) -> str:
    """A list for readers, cut after a few: `doc-01, doc-02 and 3 more`."""
    if len(values) <= most + 1:
        return ", ".join(visible(str(value)) for value in values)
    more = len(values) - most
    return ngettext("%(names)s and %(n)s more", "%(names)s and %(n)s more", more) % {
        "names": ", ".join(visible(str(value)) for value in values[:most]),
        "n": formats.number(more),
    }
