"""The diagnostic ladder of a run: each rung's verdict, what it found, and what it proves."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common import formats
from pilots import vocabulary
from pilots.models import Rung
from pilots.presenters.text import visible

Text = str | Promise
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    number: int
    name: Text
    shape: str
    word: Text
    found: str
    # The host's own words, in English as its tools speak.
    error: str
    next_step: str
    proves: Text
    does_not_prove: Text
    seconds: float | None


@dataclass(frozen=True)
class Ladder:
    rows: list[Row]
    passed: int
    failed: int
    not_run: int
    not_applicable: int
    gpu_proved: bool

    @property
    def summary(self) -> str:
        parts = [ngettext("%(n)s rung passed", "%(n)s rungs passed", self.passed) % {"n": formats.number(self.passed)}]
        if self.failed:
            parts.append(ngettext("%(n)s failed", "%(n)s failed", self.failed) % {"n": formats.number(self.failed)})
        if self.not_run:
            parts.append(
                ngettext("%(n)s was not run", "%(n)s were not run", self.not_run) % {"n": formats.number(self.not_run)}
            )
        if self.not_applicable:
            parts.append(
                ngettext("%(n)s does not apply here", "%(n)s do not apply here", self.not_applicable)
                % {"n": formats.number(self.not_applicable)}
            )
        return ", ".join(parts)

    @property
    def meaning(self) -> str:
        if self.failed:
            return _("The first failed rung is the one to repair: those above it rest on it.")
        if self.gpu_proved:
            return _(
                "It shows that the card computes what the processor computes. "
                "It does not show that your program is right."
            )
        return _("No GPU was proved: this machine showed none. What ran, ran on the processor.")


def _host(facts: Facts) -> str:
    cards = facts.get("cards") or []
    if not cards:
        return _("no card listed, %(n)s processor cores") % {"n": facts.get("cpus", "?")}
    told = ngettext("%(n)s card listed, driver %(driver)s", "%(n)s cards listed, driver %(driver)s", len(cards))
    return told % {"n": len(cards), "driver": cards[0].get("driver", "?")}


def _interpreter(facts: Facts) -> str:
    place = _("its own environment") if facts.get("venv") else _("the system's environment")
    return f"Python {facts.get('version', '?')}, {place}"


def _import(facts: Facts) -> str:
    if not facts.get("torch"):
        return _("torch is not installed")
    build = " ".join(str(part) for part in (facts.get("build"), facts.get("cuda") or facts.get("hip")) if part)
    return _("torch %(version)s, build %(build)s") % {"version": facts["torch"], "build": build}


def _device(facts: Facts) -> str:
    devices = facts.get("devices") or []
    if not devices:
        return _("no card for the framework: the processor")
    return ", ".join(f"{device.get('name', '?')} ({device.get('arch', '?')})" for device in devices)


def _first_device(facts: Facts) -> Facts:
    devices = facts.get("devices") or [{}]
    return devices[0] if isinstance(devices[0], Mapping) else {}


def _memory(facts: Facts) -> str:
    first = _first_device(facts)
    filled = first.get("filled_bytes")
    if filled is None:
        return ""
    total = first.get("total_bytes")
    if total:
        return _("%(filled)s of %(total)s filled, copies equal") % {
            "filled": formats.size(filled),
            "total": formats.size(total),
        }
    return _("%(filled)s filled, copies equal") % {"filled": formats.size(filled)}


def _compute(facts: Facts) -> str:
    first = _first_device(facts)
    speeds = [
        f"{name} {formats.number(first[kind]['tflops'], 2)}"
        for name, kind in (("fp32", "float32"), ("fp16", "float16"), ("bf16", "bfloat16"))
        if isinstance(first.get(kind), Mapping) and first[kind].get("tflops") is not None
    ]
    return _("right against fp64; TFLOP/s: %(speeds)s") % {"speeds": ", ".join(speeds)} if speeds else ""


def _libraries(facts: Facts) -> str:
    first = _first_device(facts)
    if "loss_first" not in first:
        return ""
    return _("convolution and attention right, loss from %(first)s to %(last)s") % {
        "first": formats.number(first["loss_first"], 2),
        "last": formats.number(first["loss_last"], 2),
    }


def _extensions(facts: Facts) -> str:
    told = []
    for extension in facts.get("extensions") or []:
        how = _("computed") if extension.get("exercised") else _("loaded")
        told.append(f"{extension.get('name')} {extension.get('version') or ''} ({how})".replace("  ", " "))
    return ", ".join(told)


def _cards(facts: Facts) -> str:
    count = facts.get("count")
    return _("the sum over %(n)s cards is right") % {"n": count} if facts.get("all_reduce") else ""


def _item(facts: Facts) -> str:
    ids = [str(facts[key]) for key in ("shortest", "longest") if facts.get(key)]
    return _("%(first)s, then %(last)s") % {"first": ids[0], "last": ids[-1]} if ids else ""


FOUND: dict[int, Callable[[Facts], str]] = {
    0: _host,
    1: _interpreter,
    2: _import,
    3: _device,
    4: _memory,
    5: _compute,
    6: _libraries,
    8: _extensions,
    9: _cards,
    10: _item,
}


def _found(rung: Rung) -> str:
    """The facts in a few words; whatever shape a host gave them, the page stays up."""
    build = FOUND.get(rung.number)
    if build is None or not isinstance(rung.facts, Mapping):
        return ""
    try:
        return visible(build(rung.facts))
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


def ladder(rungs: Iterable[Rung]) -> Ladder:
    rows, counts, proved = [], {"confirmed": 0, "stopped": 0, "missing": 0, "not_applicable": 0}, False
    for rung in sorted(rungs, key=lambda one: one.number):
        words = vocabulary.rung(rung.number, rung.name)
        shape, word = vocabulary.rung_verdict(rung.verdict)
        key = rung.verdict if rung.verdict == "not_applicable" else shape
        counts[key] = counts.get(key, 0) + 1
        facts = rung.facts if isinstance(rung.facts, Mapping) else {}
        proved = proved or facts.get("gpu_proved") is True
        is_passed = shape == "confirmed"
        rows.append(
            Row(
                number=rung.number,
                name=words.name,
                shape=shape,
                word=word,
                found=_found(rung) if is_passed or rung.number == 0 else "",
                error="" if is_passed else visible(str(facts.get("error") or "")[:400]),
                next_step=visible(rung.next_step) if shape == "stopped" else "",
                proves=words.proves if is_passed else "",
                does_not_prove=words.does_not_prove,
                seconds=rung.seconds if shape != "missing" else None,
            )
        )
    return Ladder(rows, counts["confirmed"], counts["stopped"], counts["missing"], counts["not_applicable"], proved)
