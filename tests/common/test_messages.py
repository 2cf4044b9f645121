"""Every sentence in every language: none missing, none empty, none that lost a placeholder or a tag."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from django.utils import translation

from common import catalogues
from common.catalogues import filled

LANGUAGES = tuple(catalogues.LOCALES)
PLACEHOLDER = re.compile(r"%\((\w+)\)[#0 +-]*\d*(?:\.\d+)?([a-z])|%[-\d.]*([sd])")
TAG = re.compile(r"</?([a-zA-Z]+)(?:\s[^>]*)?>")
# What Django itself says on our pages.
DJANGO = (
    "This field is required.",
    "Enter a valid email address.",
    "Select a valid choice. %(value)s is not one of the available choices.",
    "This password is too common.",
    "The password is too similar to the %(verbose_name)s.",
    "Null characters are not allowed.",
)


@cache
def source() -> Catalog:
    return catalogues.template_catalogue()


@cache
def answers(code: str) -> Catalog:
    return catalogues.read(code)


def pairs(code: str) -> Iterator[tuple[Message, Message]]:
    """Each message of the source with its answer, where there is one."""
    for said in source():
        answer = answers(code).get(said.id, said.context) if said.id else None
        if answer is not None and filled(answer.string):
            yield said, answer


def texts(what: object) -> list[str]:
    return [what] if isinstance(what, str) else [str(one) for one in what]  # type: ignore[attr-defined]


def placeholders(text: str) -> Counter[str]:
    return Counter(found[1] or found[0] for found in PLACEHOLDER.finditer(text.replace("%%", "")))


def tags(text: str) -> Counter[str]:
    return Counter(found[0] for found in TAG.finditer(text))


def test_the_source_speaks() -> None:
    assert len(source()) > 500
    # One of each kind: Python, template, plural, context.
    assert source().get("There is nothing at this address") is not None
    assert source().get("The balance is %(balance)s and %(needed)s are needed. Your balance was not charged.")
    assert source().get(("%(count)s lot", "%(count)s lots")) is not None
    assert source().get("Change", "of a balance") is not None


def test_the_host_stays_silent() -> None:
    assert not [place for said in source() for place, _line in said.locations if place.startswith("pilots/host/")]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_sentence_is_missing_empty_or_a_guess(code: str) -> None:
    wanting = []
    for said in source():
        if not said.id:
            continue
        answer = answers(code).get(said.id, said.context)
        if answer is None or not filled(answer.string) or answer.fuzzy:
            wanting.append(texts(said.id)[0])
    assert not wanting, f"{code}: {len(wanting)} without an answer, first: {wanting[:5]}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_placeholders_are_the_same(code: str) -> None:
    wrong = []
    for said, answer in pairs(code):
        allowed = [set(placeholders(text)) for text in texts(said.id)]
        for text in texts(answer.string):
            # A form for one thing may write "one" instead of the figure; nothing may be added.
            used = set(placeholders(text))
            if used not in allowed and not (len(allowed) > 1 and allowed[0] <= used <= allowed[-1]):
                wrong.append(text)
    assert not wrong, f"{code}: {wrong[:5]}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_tags_and_outer_spaces_are_the_same(code: str) -> None:
    wrong = [
        text
        for said, answer in pairs(code)
        for text in texts(answer.string)
        if tags(text) != tags(texts(said.id)[-1])
        or text[:1].isspace() != texts(said.id)[-1][:1].isspace()
        or text[-1:].isspace() != texts(said.id)[-1][-1:].isspace()
    ]
    assert not wrong, f"{code}: {wrong[:5]}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_nothing_is_left_that_nobody_says(code: str) -> None:
    stale = [message.id for message in answers(code) if message.id and not source().get(message.id, message.context)]
    assert not stale, f"{code}: {stale[:5]}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_django_answers_in_this_language_too(code: str) -> None:
    with translation.override(code):
        assert not [text for text in DJANGO if translation.gettext(text) == text]
        short = translation.ngettext(
            "This password is too short. It must contain at least %d character.",
            "This password is too short. It must contain at least %d characters.",
            10,
        )
        assert not short.startswith("This password")


def test_a_template_is_read_like_a_program() -> None:
    """Contexts, plurals, trimmed blocks, quotes and brackets inside sentences."""
    assert catalogues.literal_arguments(" f('a (b) c', \"it's\", count) ", 3) == ["a (b) c", "it's"]
