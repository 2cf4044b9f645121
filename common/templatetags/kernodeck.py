"""Filters and parts for every template: money, times, statuses, sources and controls in the house's look."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django import forms, template
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.template import Context
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from common import formats
from common.browsers import browser

register = template.Library()
for name in ("usd", "amount", "change", "number", "percent", "when", "day", "clock", "span", "size", "short_hash"):
    register.filter(name, getattr(formats, name))
register.filter("browser", browser)


@register.filter
def question(text: Any) -> bool:
    """Whether a label asks: then no colon follows it."""
    return str(text).rstrip().endswith(("?", "؟"))


@register.filter("json")
def as_json(value: Any) -> str:
    """A value for a script, to stand in an attribute: escaped there like any text."""
    return json.dumps(value, cls=DjangoJSONEncoder)


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
    # At the desk, where "you" would be the operator.
    "customer": ("you", _("The customer told us")),
    "customer_chose": ("you", _("The customer chose")),
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


@register.filter
def iso(moment: datetime) -> str:
    """A time for machines, in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@register.filter
def bcp47(code: str) -> str:
    """A language as HTML wants it: `pt-br` → `pt-BR`."""
    language, _dash, region = code.partition("-")
    return f"{language}-{region.upper()}" if region else language


@register.filter
def own_name(code: str) -> str:
    """A language in its own words."""
    return dict(settings.LANGUAGES).get(code, code)


@register.simple_tag(takes_context=True)
def current(context: Context, *sections: str) -> SafeString | str:
    """Mark a link of the main navigation: the page itself, or a page inside one of its sections."""
    path = getattr(context.get("request"), "path", "")
    if path in sections:
        return mark_safe(' aria-current="page"')
    return mark_safe(' aria-current="true"') if path.startswith(sections) else ""


@register.simple_tag(takes_context=True)
def sign_in(context: Context) -> str:
    """The address of the sign-in page that comes back to this page."""
    request = context.get("request")
    if request is None or request.path == "/":
        return str(settings.LOGIN_URL)
    if request.path.startswith("/accounts/"):
        # From one door to the other: keep where the person wanted to go in the first place.
        after = request.GET.get("next", "")
    else:
        after = request.get_full_path() if request.method == "GET" else request.path
    return f"{settings.LOGIN_URL}?{urlencode({'next': after})}" if after else str(settings.LOGIN_URL)


@register.simple_tag(takes_context=True)
def language_links(context: Context) -> list[dict[str, Any]]:
    """This page in every language, its query kept."""
    request, active = context.get("request"), translation.get_language()
    links = []
    for code, name in settings.LANGUAGES:
        query = request.GET.copy() if request is not None else None
        if query is not None:
            query["language"] = code
        href = f"?{query.urlencode() if query is not None else urlencode({'language': code})}"
        links.append({"code": code, "lang": bcp47(code), "name": name, "href": href, "current": code == active})
    return links


@register.filter
def control_kind(field: forms.BoundField) -> str:
    """Which shape of `common/field.html` a field takes."""
    widget = field.field.widget
    if field.is_hidden:
        return "hidden"
    if isinstance(widget, forms.RadioSelect | forms.CheckboxSelectMultiple):
        return "radio"
    return "checkbox" if isinstance(widget, forms.CheckboxInput) else "text"


@register.filter
def target(field: forms.BoundField) -> str:
    """The id an error's link leads to: the control, or the first of several."""
    return str(field.id_for_label or f"{field.auto_id}_0")


def describing(field: forms.BoundField, hint: str) -> str:
    """The ids of a field's hint and error."""
    ids = [f"{field.auto_id}_helptext"] if hint else []
    return " ".join([*ids, f"{field.auto_id}_error"] if field.errors else ids)


@register.simple_tag
def described(field: forms.BoundField, hint: str = "") -> SafeString | str:
    """The attribute that joins a group of choices to its hint and error."""
    ids = describing(field, hint)
    return format_html(' aria-describedby="{}"', ids) if ids else ""


@register.simple_tag
def control(field: forms.BoundField, hint: str = "") -> SafeString:
    """A field's control in the look, described by its hint and its error."""
    attrs: dict[str, Any] = {"aria-describedby": describing(field, hint) or False, "placeholder": False}
    if control_kind(field) != "checkbox":
        attrs["class"] = f"input {field.field.widget.attrs.get('class', '')}".strip()
    if field.errors:
        attrs["aria-invalid"] = "true"
    return field.as_widget(attrs=attrs)
