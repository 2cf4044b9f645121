"""Filters and parts for every template: money, times, statuses and sources in the house's look."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from common import formats

register = template.Library()
for name in ("usd", "number", "percent", "when", "day", "clock", "span", "size", "short_hash"):
    register.filter(name, getattr(formats, name))

# The closed set of shapes; `late` borrows the dashed shape in the colour of `seen`.
SHAPES = {
    "told": "told",
    "seen": "seen",
    "confirmed": "confirmed",
    "stopped": "stopped",
    "missing": "missing",
    "late": "missing",
}
SOURCES: dict[str, tuple[str, Any]] = {
    "you": ("you", _("You told us")),
    "chose": ("you", _("You chose")),
    "net": ("net", _("The network shows")),
    "we": ("we", _("We wrote")),
    "confirmed": ("stamp", _("We confirmed")),
    "host": ("host", _("The host reported")),
}


@register.simple_tag
def status(kind: str, word: str) -> SafeString:
    """A status inside a row or sentence: `{% status "confirmed" _("met") %}`."""
    return format_html(
        '<span class="status {}"><svg aria-hidden="true"><use href="#s-{}"/></svg>{}</span>', kind, SHAPES[kind], word
    )


@register.simple_tag
def source(kind: str) -> SafeString:
    """Who says it: `{% source "host" %}` with one of `you chose net we confirmed host`."""
    mark, words = SOURCES[kind]
    return format_html('<span class="source"><svg aria-hidden="true"><use href="#m-{}"/></svg>{}</span>', mark, words)


@register.simple_tag
def shape(kind: str) -> SafeString:
    """The large shape of a `.state`."""
    return format_html('<svg class="{}" aria-hidden="true"><use href="#s-{}"/></svg>', kind, SHAPES[kind])
