"""What both archive formats share: the limits, and a member as it is handed on."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

BLOCK: Final = 256 * 1024
MIB: Final = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold; counted while reading, whatever its headers say."""

    packed_bytes: int = 2048 * MIB
    unpacked_bytes: int = 8192 * MIB
    member_bytes: int = 4096 * MIB
    members: int = 200_000
    ratio: int = 200  # unpacked to packed, judged above `ratio_from`; text seldom reaches 20
    ratio_from: int = 64 * MIB


@dataclass(frozen=True)
class Member:
    """A file or a folder of an archive; `blocks` can be read once."""

    path: str
    folder: bool
    executable: bool = False
    blocks: Iterable[bytes] = field(default=())
