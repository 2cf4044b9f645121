"""A Dockerfile's images and installations, each with the line it stands on."""

import re
from typing import Final

from rental.choosing import libraries
from rental.choosing.conda import read_package, unquoted
from rental.choosing.finding import Findings
from rental.choosing.requirements import read_requirement

WORD: Final = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")
ENDS: Final = ("&&", "||", ";", "|", "&")
INSTALLERS: Final = {"pip": "pip", "pip3": "pip", "uv": "pip", "conda": "conda", "mamba": "conda",
                     "micromamba": "conda", "apt": "apt", "apt-get": "apt"}  # fmt: skip
# Options whose value is the next word, and what that value is.
WITH_VALUE: Final = {"-r": "includes", "--requirement": "includes", "-c": "includes", "-e": "own-code",
                     "--editable": "own-code", "-i": "", "--index-url": "", "--extra-index-url": "", "-f": "",
                     "--find-links": "", "-n": "", "--name": "", "-t": "", "--target": ""}  # fmt: skip


def read_dockerfile(lines: list[tuple[int, str]], into: Findings) -> None:
    reader, continued = Commands(into), False
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        word = re.match(r"\s*([A-Za-z]+)\s+(.*)", line)
        instruction = word[1].upper() if word and not continued else ""
        if not continued:
            reader.end()
        if instruction == "FROM" and word:
            names = [part for part in word[2].split() if not part.startswith("--")]
            into.sign(number, line, libraries.of_image(names[0]) if names else None)
        elif instruction == "ARG" and word:
            into.sign(number, line, libraries.of_image(word[2].partition("=")[2]))
        else:
            reader.read(number, line, word[2] if instruction == "RUN" and word else line)
        for slug in (*libraries.of_address(line), *libraries.of_words(line)):
            into.sign(number, line, slug)
        continued = line.rstrip().endswith("\\")


class Commands:
    """Follows a command over its lines: which installer is at work, and whether the next word is an option's value."""

    def __init__(self, into: Findings) -> None:
        self.into = into
        self.end()

    def end(self) -> None:
        self.tool, self.installing, self.value = "", False, None  # type: str, bool, str | None

    def read(self, number: int, line: str, text: str) -> None:
        for word in WORD.findall(text.rstrip().removesuffix("\\").replace(";", " ; ")):
            if word in ENDS:
                self.end()
            elif self.installing:
                self._argument(number, line, unquoted(word))
            elif word.rsplit("/", 1)[-1] in INSTALLERS:
                self.tool = INSTALLERS[word.rsplit("/", 1)[-1]]
            elif self.tool and word in ("install", "create"):
                self.installing = True
            elif re.fullmatch(r"(?:\S*/)?setup\.py|make|cmake|nvcc|hipcc", word):
                self.into.unsure(number, line, "own-code")

    def _argument(self, number: int, line: str, word: str) -> None:
        if self.value is not None:
            if self.value:
                self.into.unsure(number, line, self.value)
            self.value = None
        elif word.startswith("-"):
            self.value = WITH_VALUE.get(word)
        elif self.tool == "pip":
            read_requirement(number, line, word, self.into)
        elif self.tool == "conda":
            read_package(number, line, word, self.into)
        else:
            self.into.sign(number, line, libraries.of_package(word.partition("=")[0], ""))
