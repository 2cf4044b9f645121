"""The program's command: its placeholders, and the arguments it gives when they are filled."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

PLACEHOLDERS: Final = ("inputs", "output", "params", "remaining", "checkpoint", "until_step")
_WORD = re.compile(r"\{([a-z_]+)\}")


def placeholders(command: Sequence[str]) -> list[str]:
    """Every `{word}` of a command, in order, known or not."""
    return [word for argument in command for word in _WORD.findall(argument)]


def fill(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments with each known placeholder replaced; one that has no value becomes empty text."""

    def replace(match: re.Match[str]) -> str:
        word = match.group(1)
        return values.get(word, "") if word in PLACEHOLDERS else match.group(0)

    return [_WORD.sub(replace, argument) for argument in command]
