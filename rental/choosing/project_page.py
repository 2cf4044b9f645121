"""The page that reads a project's file: its form, and its result, which an address and nothing else holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from rental.choosing import project_words as words
from rental.choosing import reading, verdicts
from rental.choosing.carried import carried
from rental.choosing.finding import Finding
from rental.choosing.libraries import SIGNS
from rental.choosing.verdicts import Shown
from rental.forms import refuse

KEPT_LINES = 60  # of one file, in one visitor's session
TICKED = [(slug, sign.name) for slug, sign in SIGNS.items() if sign.ticked]


class ProjectForm(forms.Form):
    """A text, a file or ticks. What was sent is looked through at once and not kept as a file."""

    text = forms.CharField(
        label=_("Paste the file"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 10})
    )
    file = forms.FileField(label=_("Or send it"), required=False, allow_empty_file=True)
    libs = forms.MultipleChoiceField(
        label=_("Or tick what your program uses"),
        required=False,
        choices=TICKED,
        error_messages={"invalid_choice": _("Tick only what stands in the list.")},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        text, file = cleaned.get("text") or "", cleaned.get("file")
        if text.strip() and file:
            self.add_error("file", _("Paste a file or send one, not both."))
        elif not text.strip() and not file and not cleaned.get("libs") and not self.errors:
            self.add_error("text", _("Paste a file, send one, or tick at least one library."))
        return cleaned


@dataclass
class Looked:
    """What was sent, as an address and as lines for the session of whoever sent it."""

    query: str
    session: dict[str, Any]


def look(form: ProjectForm) -> Looked | None:
    """Read what was sent; a refusal goes to its field, and then there is nothing."""
    cleaned, kind = form.cleaned_data, ""
    found: list[Finding] = []
    file = cleaned.get("file")
    try:
        if file and file.size > reading.MOST_BYTES:
            raise reading.too_large("file")
        if file:
            read = reading.read(reading.text_of(file.read()), file.name or "", at="file")
            kind, found = read.kind, read.found
        elif cleaned["text"].strip():
            read = reading.read(cleaned["text"])
            kind, found = read.kind, read.found
    except Refusal as refusal:
        refuse(form, refusal)
        return None
    ticked = [Shown(slug) for slug in cleaned["libs"]]
    libs = verdicts.write(verdicts.parse(verdicts.write([*verdicts.signs_of(found), *ticked])))
    unsure = ".".join(dict.fromkeys(finding.slug for finding in found if finding.is_caveat))
    lines = [[finding.number, finding.text, finding.slug] for finding in found[:KEPT_LINES]]
    query = urlencode({"libs": libs} | ({"unsure": unsure} if unsure else {}))
    return Looked(query, {"libs": libs, "unsure": unsure, "kind": kind, "lines": lines, "all": len(found)})


@dataclass(frozen=True)
class Row:
    """A library that was found, with the lines it stands on."""

    name: words.Text
    points: words.Text
    rocm: str
    source: str
    lines: list[tuple[int, str]]
    optional: bool


@dataclass(frozen=True)
class Result:
    backend: str
    title: words.Text
    meaning: words.Text
    rows: list[Row]
    caveats: list[tuple[words.Text, list[tuple[int, str]]]]
    always: tuple[words.Text, ...]
    kind: words.Text
    has_lines: bool
    left_out: int
    chooser: str


def result(data: Mapping[str, Any], session: Mapping[str, Any] | None) -> Result:
    """The result that an address names; lines only for the session that sent the file."""
    signs = verdicts.parse(str(data.get("libs", "")))
    own = session or {}
    if own.get("libs") != verdicts.write(signs) or data.get("unsure", own.get("unsure")) != own.get("unsure"):
        own = {}
    caveats = verdicts.caveats_of(str(data.get("unsure", own.get("unsure", ""))))
    lines: dict[str, list[tuple[int, str]]] = {}
    for number, text, slug in own.get("lines", ()):
        lines.setdefault(slug, []).append((number, text))
    backend = verdicts.backend_of(signs)
    title, meaning = words.BACKENDS[backend]
    chosen = {"libs": verdicts.write(signs), "backend": backend if backend in ("cuda", "rocm") else ""}
    kept = {name: value for name, value in carried(data).items() if name not in chosen}
    return Result(
        backend=backend,
        title=title,
        meaning=meaning,
        rows=[_row(sign, lines.get(sign.slug, [])) for sign in sorted(signs, key=lambda sign: _place(sign, lines))],
        caveats=[(words.CAVEATS[caveat], lines.get(caveat, [])) for caveat in caveats],
        always=words.ALWAYS,
        kind=words.KINDS.get(own.get("kind", ""), ""),
        has_lines=bool(own.get("lines")),
        left_out=max(own.get("all", 0) - KEPT_LINES, 0),
        chooser="?" + urlencode(kept | {name: value for name, value in chosen.items() if value}),
    )


def _place(sign: Shown, lines: dict[str, list[tuple[int, str]]]) -> int:
    """Where a sign first stands; what was only ticked comes last."""
    return min((number for number, _text in lines.get(sign.slug, ())), default=reading.MOST_LINES + 1)


def _row(sign: Shown, lines: list[tuple[int, str]]) -> Row:
    about = SIGNS[sign.slug]
    rocm = str(words.ROCM[about.rocm]) if about.rocm or about.points == "rocm" else ""
    return Row(
        name=about.name,
        points=words.POINTS[about.points],
        rocm=rocm % {"instead": about.instead} if "%(" in rocm else rocm,
        source=about.source,
        lines=lines,
        optional=sign.optional,
    )
