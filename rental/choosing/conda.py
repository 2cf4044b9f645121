"""A conda environment's list of packages, read line by line: its few shapes need no YAML reader."""

import re

from rental.choosing import libraries
from rental.choosing.finding import Findings
from rental.choosing.requirements import read_requirement

PACKAGE = re.compile(r"(?:(?P<channel>[\w./:-]+)::)?(?P<name>[A-Za-z0-9_][\w.-]*)\s*(?P<rest>.*)")


def read_conda(lines: list[tuple[int, str]], into: Findings) -> None:
    section, pip_at = "", None
    for number, line in lines:
        bare = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not bare.strip():
            continue
        top = re.match(r"([A-Za-z_]\w*)\s*:\s*(.*)", bare)
        if top:
            section, pip_at = top[1], None
            if section == "dependencies":
                _flow(number, line, top[2], into)
            continue
        if section != "dependencies":
            continue
        item = re.match(r"(\s*)-\s+(.*)", bare)
        if item is None:
            into.unsure(number, line, "unread")
            continue
        indent, text = len(item[1]), unquoted(item[2])
        if pip_at is not None and indent <= pip_at:
            pip_at = None
        if re.fullmatch(r"pip\s*:\s*(\[.*\])?", text):
            pip_at = indent
        elif pip_at is not None:
            read_requirement(number, line, text, into)
        else:
            read_package(number, line, text, into)


def read_package(number: int, line: str, text: str, into: Findings) -> None:
    """One conda package: `channel::name=version=build`."""
    found = PACKAGE.fullmatch(text)
    if found is None:
        into.unsure(number, line, "unread")
        return
    slug = libraries.of_conda(found["name"], found["rest"])
    into.sign(number, line, slug)
    if slug and not re.match(r"={1,2}\s*\d", found["rest"]):
        into.unsure(number, line, "unpinned")


def unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _flow(number: int, line: str, text: str, into: Findings) -> None:
    for part in text.strip().strip("[]").split(",") if text.strip() else ():
        if part.strip():
            read_package(number, line, unquoted(part), into)
