"""What a page says to people, to find what it forgot to say in their language."""

from html.parser import HTMLParser
from typing import Any

from django.conf import settings
from django.test import Client

LANGUAGES = [code for code, _name in settings.LANGUAGES if code != "en"]
SILENT = {"script", "style", "code", "pre", "option"}
VOID = {"meta", "link", "input", "br", "hr", "img", "wbr", "path", "circle", "use", "rect", "base"}
# Their owner's words, machine words and names are the same in every language.
READ = ("aria-label", "title", "alt", "placeholder", "data-label", "data-words", "data-copied")


class Texts(HTMLParser):
    """What a page says to people, outside of what is marked as being in a language of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[bool] = []
        self.said: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        foreign = (
            tag in SILENT
            or ("class", "id") in attrs
            or (tag != "html" and any(name == "lang" for name, _value in attrs))
        )
        if tag not in VOID:
            self.stack.append(foreign)
        for name, value in attrs:
            if name in READ:
                self.hear(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self.stack:
            self.stack.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.stack):
            self.hear(data)

    def hear(self, text: str) -> None:
        words = [word for word in text.split() if word.isalpha() and word.islower()]
        # Names, figures and single words may be the same everywhere; a phrase may not.
        if len(words) >= 2:
            self.said.add(" ".join(text.split()))


def heard(answer: Any) -> set[str]:
    reader = Texts()
    reader.feed(answer.content.decode())
    return reader.said


def leftovers(client: Client, path: str, owned: tuple[str, ...] = ()) -> dict[str, set[str]]:
    """By language, the phrases of a page that are the same as in English; `owned` are words of people and machines."""
    found = {}
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
    english = heard(client.get(path))
    assert english, path
    for code in LANGUAGES:
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
        same = {text for text in english & heard(client.get(path)) if not any(word in text for word in owned)}
        if same:
            found[code] = same
    return found
