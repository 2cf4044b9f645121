"""One requirement, as pip reads it: a package, an option, an address or a folder."""

import re
from typing import Final

from packaging.markers import InvalidMarker, Marker
from packaging.requirements import InvalidRequirement, Requirement

from rental.choosing import libraries
from rental.choosing.finding import Findings

VALUED: Final = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--trusted-host", "--pre",
                 "--no-binary", "--only-binary", "--prefer-binary", "--no-index", "--require-hashes")  # fmt: skip
NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
PATH: Final = re.compile(r"\.{0,2}/|\.$|[\w.+-]+://|git\+|.*\.(?:whl|tar\.gz|zip)$|\w:\\")
LINUX: Final = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix",
                "platform_machine": "x86_64", "extra": ""}  # fmt: skip
PYTHONS: Final = ("3.10", "3.11", "3.12", "3.13", "3.14")


def read_requirement(number: int, line: str, text: str, into: Findings, *, optional: bool = False) -> None:
    """Note what one requirement shows; `line` is as written, `text` without comments and continuations."""
    text = re.sub(r"\s--(?:hash|config-settings?|global-option)[= ]\S+", "", text).strip()
    if not text:
        return
    for index in libraries.of_address(text):
        into.sign(number, line, index, optional=optional)
    if text.startswith("-"):
        _option(number, line, text, into)
        return
    try:
        wanted = Requirement(text)
    except (InvalidRequirement, ValueError):
        _odd(number, line, text, into, optional)
        return
    if wanted.marker is not None and not applies(wanted.marker):
        into.unsure(number, line, "not-linux")
        return
    slug = libraries.of_package(wanted.name, text, frozenset(wanted.extras))
    into.sign(number, line, slug, optional=optional)
    if wanted.url and not re.search(r"\.whl(?:$|[#?])", wanted.url):
        into.unsure(number, line, "own-code")
    if slug and not wanted.url and not any(spec.operator in ("==", "===") for spec in wanted.specifier):
        into.unsure(number, line, "unpinned")


def applies(marker: Marker) -> bool:
    """Whether a marker can hold on the machines rented here: Linux on x86-64, some Python."""
    try:
        return any(
            marker.evaluate({**LINUX, "python_version": version, "python_full_version": f"{version}.0"})
            for version in PYTHONS
        )
    except Exception:  # a marker that its own library cannot judge may hold
        return True


def _option(number: int, line: str, text: str, into: Findings) -> None:
    option = re.split(r"[\s=]", text, maxsplit=1)[0]
    if option in ("-r", "--requirement", "-c", "--constraint") or re.match(r"-[rc]\S", text):
        into.unsure(number, line, "includes")
    elif option in ("-e", "--editable"):
        into.unsure(number, line, "own-code")
    elif option not in VALUED:
        into.unsure(number, line, "unread")


def _odd(number: int, line: str, text: str, into: Findings, optional: bool) -> None:
    """What the standard refuses and people write all the same: `torch>=2.9+cu130`, a folder, a bare address."""
    if PATH.match(text):
        name = NAME.match(text.rsplit("/", 1)[-1].partition("-")[0])
        if text.endswith(".whl") and name:
            into.sign(number, line, libraries.of_package(name[0], text), optional=optional)
        else:
            into.unsure(number, line, "own-code")
        return
    text, _semicolon, condition = text.partition(";")
    try:
        if condition and not applies(Marker(condition)):
            into.unsure(number, line, "not-linux")
            return
    except InvalidMarker:
        into.unsure(number, line, "unread")
    name = NAME.match(text)
    rest = text[name.end() :].lstrip() if name else ""
    if name and (not rest or rest[0] in "=<>~!@;["):
        extras = re.match(r"\[([^\]]*)\]", rest)
        names = frozenset(part.strip() for part in extras[1].split(",")) if extras else frozenset()
        into.sign(number, line, libraries.of_package(name[0], text, names), optional=optional)
    else:
        into.unsure(number, line, "unread")
