"""Message catalogues without GNU gettext: what the source says, what each language answers, compiled by Babel."""

import ast
import os
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(settings.BASE_DIR)
# Each language's folder and its plural rule, the same as in Django's own catalogues; Turkish needs one form only.
LOCALES = {
    "fr": ("fr", "nplurals=2; plural=(n > 1);"),
    "es": ("es", "nplurals=2; plural=(n != 1);"),
    "pt-br": ("pt_BR", "nplurals=2; plural=(n > 1);"),
    "tr": ("tr", "nplurals=1; plural=0;"),
}
ROOMS = ("common", "billing", "rental", "pilots")
# The host and its command line speak plain English; migrations only repeat what the models say.
SILENT = ("pilots/host/", "/migrations/")
SINGLE, PLURAL, CONTEXT, BOTH = None, (1, 2), ((1, "c"), 2), ((1, "c"), 2, 3)
WORDS = {
    "_": SINGLE,
    "gettext": SINGLE,
    "gettext_lazy": SINGLE,
    "gettext_noop": SINGLE,
    "ngettext": PLURAL,
    "ngettext_lazy": PLURAL,
    "pgettext": CONTEXT,
    "pgettext_lazy": CONTEXT,
    "npgettext": BOTH,
    "npgettext_lazy": BOTH,
}
CALL = re.compile(r"(?<![\w.])(gettext|ngettext|pgettext|npgettext|_)\(")
HEADER = """msgid ""
msgstr ""
"Language: {locale}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""

Ids = str | tuple[str, str]
Found = tuple[str, Ids, str | None]  # file, msgid or (singular, plural), context


def sources() -> Iterator[Path]:
    """Every file that may say something to people, in a fixed order."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    templates = [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".txt")]
    for path in sorted(files) + sorted(templates):
        if not any(part in f"/{path.relative_to(ROOT).as_posix()}" for part in SILENT):
            yield path


def said() -> Iterator[Found]:
    """Every message of the source."""
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        for ids, context in python_messages(path) if path.suffix == ".py" else template_messages(path):
            yield name, ids, context


def python_messages(path: Path) -> Iterator[tuple[Ids, str | None]]:
    for _line, ids, _comments, context in extract_from_file("python", path, keywords=WORDS, strip_comment_tags=True):
        yield (ids[0], ids[1]) if isinstance(ids, tuple) else ids, context


def template_messages(path: Path) -> Iterator[tuple[Ids, str | None]]:
    """Django turns a template into calls of gettext between blanks; each call is read as the Python it is."""
    text = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for call in CALL.finditer(text):
        arguments = literal_arguments(text, call.end())
        context = arguments.pop(0) if call[1] in ("pgettext", "npgettext") else None
        yield (arguments[0], arguments[1]) if call[1].startswith("n") else arguments[0], context


def literal_arguments(text: str, start: int) -> list[str]:
    """The string literals of the call whose opening bracket stands before `start`."""
    end = start
    while (end := text.find(")", end)) >= 0:
        try:
            tree = ast.parse(f"f({text[start:end]})", mode="eval")
        except SyntaxError:
            end += 1
            continue
        arguments = tree.body.args if isinstance(tree.body, ast.Call) else []
        return [str(one.value) for one in arguments if isinstance(one, ast.Constant)]
    raise ValueError(f"no end of the call at {start}")


def template_catalogue() -> Catalog:
    """All messages of the source, each with the files that say it."""
    catalogue = Catalog()
    for name, ids, context in said():
        catalogue.add(ids, locations=[(name, 1)], context=context)
    return catalogue


def po_path(code: str) -> Path:
    return ROOT / "locale" / LOCALES[code][0] / "LC_MESSAGES" / "django.po"


def read(code: str) -> Catalog:
    """A language's catalogue; an empty one with its plural rule where there is no file yet."""
    folder, plural = LOCALES[code]
    path = po_path(code)
    text = path.read_bytes() if path.is_file() else HEADER.format(locale=folder, plural=plural).encode()
    return read_po(BytesIO(text), locale=folder, domain="django")


def update(code: str) -> tuple[int, int]:
    """Bring a language's file up to date with the source; how many messages there are and how many are empty.

    Nothing is guessed: a changed sentence is a new one with an empty answer, and what nobody says any more goes.
    """
    catalogue = read(code)
    catalogue.update(template_catalogue(), no_fuzzy_matching=True)
    body = BytesIO()
    write_po(
        body, catalogue, width=110, omit_header=True, ignore_obsolete=True, sort_by_file=True, include_lineno=False
    )
    folder, plural = LOCALES[code]
    path = po_path(code)
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, HEADER.format(locale=folder, plural=plural).encode() + body.getvalue().strip() + b"\n")
    messages = [message for message in catalogue if message.id]
    return len(messages), sum(not filled(message.string) for message in messages)


def filled(answer: str | tuple[str, ...] | list[str] | None) -> bool:
    """Whether an answer says something, in each of its plural forms."""
    return bool(answer) if answer is None or isinstance(answer, str) else bool(answer) and all(answer)


def compile_all() -> list[str]:
    """Compile each language whose text is newer than what was compiled; which ones were."""
    done = []
    for code in LOCALES:
        text = po_path(code)
        compiled = text.with_suffix(".mo")
        if not text.is_file() or (compiled.is_file() and compiled.stat().st_mtime_ns >= text.stat().st_mtime_ns):
            continue
        out = BytesIO()
        write_mo(out, read(code))
        put(compiled, out.getvalue())
        done.append(code)
    return done


def put(path: Path, content: bytes) -> None:
    """Replace a file as a whole: another process never reads half of it."""
    beside = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(path)
