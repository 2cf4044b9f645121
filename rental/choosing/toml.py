"""The dependencies of a `pyproject.toml`, each with its line, which a TOML reader would lose."""

import re
from typing import Final

from rental.choosing import libraries
from rental.choosing.finding import Findings
from rental.choosing.requirements import read_requirement

HEADER: Final = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*$")
KEY: Final = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w.-]+))\s*=\s*(.*)""")
STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'')
# Sections whose keys are packages; a group or an extra is only installed when asked for.
BY_KEY: Final = re.compile(r"tool\.(poetry|pixi)\.(.*\.)?(dependencies|dev-dependencies|pypi-dependencies)")
OPTIONAL: Final = re.compile(r"project\.optional-dependencies|dependency-groups|tool\.uv\.(index|sources)|"
                             r"tool\.(poetry\.group|pixi\.feature)\..*|tool\.poetry\.source")  # fmt: skip


def read_toml(lines: list[tuple[int, str]], into: Findings) -> None:
    section, key = "", ""
    for number, line in lines:
        bare = uncommented(line)
        header = HEADER.match(bare)
        if header:
            section, key = header[1].replace('"', ""), ""
            continue
        named = KEY.match(bare)
        if named and not bare.lstrip().startswith(("{", "[")):
            key = named[1] or named[2] or named[3]
        optional = bool(OPTIONAL.fullmatch(section))
        for slug in libraries.of_address(bare):
            into.sign(number, line, slug, optional=optional)
        if BY_KEY.fullmatch(section):
            if named:
                _keyed(number, line, key, named[4], into, optional)
        elif _lists(section, key):
            own = section == "build-system"
            for text in strings(bare):
                if not own:
                    read_requirement(number, line, text, into, optional=optional)
                elif re.match(r"(torch|pybind11|nanobind|cmake|ninja|scikit-build|cython)\b", text, re.IGNORECASE):
                    into.unsure(number, line, "own-code")


def _lists(section: str, key: str) -> bool:
    """Whether this key of this section is a list of requirements."""
    if section == "project":
        return key == "dependencies"
    if section == "build-system":
        return key == "requires"
    if section in ("project.optional-dependencies", "dependency-groups"):
        return bool(key)
    return section == "tool.uv" and key == "dev-dependencies"


def _keyed(number: int, line: str, name: str, value: str, into: Findings, optional: bool) -> None:
    extras = re.search(r"extras\s*=\s*\[([^\]]*)\]", value)
    slug = libraries.of_package(name, value, frozenset(strings(extras[1])) if extras else frozenset())
    into.sign(number, line, slug, optional=optional or "optional = true" in value)
    if re.search(r"\b(git|path)\s*=", value):
        into.unsure(number, line, "own-code")
    elif slug and not re.search(r"""["']=*\s*\d[\w.+]*["']""", value):
        into.unsure(number, line, "unpinned")


def strings(text: str) -> list[str]:
    return [double or single for double, single in STRING.findall(text)]


def uncommented(line: str) -> str:
    """The line without its comment: a # inside quotes is none."""
    quote = ""
    for place, mark in enumerate(line):
        if quote:
            quote = "" if mark == quote and (quote == "'" or line[place - 1] != "\\") else quote
        elif mark in "\"'":
            quote = mark
        elif mark == "#":
            return line[:place]
    return line
