"""The table of criteria: what was fixed before, what was measured, and met, missed or not measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common import formats
from pilots import vocabulary
from pilots.presenters.text import names, visible

Text = str | Promise
# Everything the configuration may fix, in the order in which a run is judged.
DOCUMENTS = ("items", "sheet_holds", "categories", "must_refuse", "min_agreement", "max_minutes", "max_gpu_memory_gb")
TRAINING = (
    "items",
    "min_updates",
    "checkpoint_written",
    "checkpoint_loads",
    "resume",
    "max_minutes",
    "max_gpu_memory_gb",
)


@dataclass(frozen=True)
class Row:
    code: str
    name: Text
    fixed: Text
    measured: Text
    shape: str
    word: Text

    @property
    def is_gap(self) -> bool:
        """Dashed: it was not measured."""
        return self.shape == "missing"


def share(value: float) -> str:
    """A percentage without a needless decimal."""
    return formats.percent(value, 0 if round(value * 1000) % 10 == 0 else 1)


def _minutes(value: float) -> str:
    return formats.span(float(value) * 60)


def _plain_minutes(value: float) -> str:
    return f"{formats.number(value)}{formats.NBSP}min"


def _gigabytes(value: float) -> str:
    return f"{formats.number(value, 1)}{formats.NBSP}GB"


def _of(part: int, whole: int) -> str:
    return _("%(part)s of %(whole)s") % {"part": formats.number(part), "whole": formats.number(whole)}


def _resume_fixed(value: Mapping[str, Any]) -> str:
    return _("stop at step %(stop)s, go on to %(until)s, difference at most %(tolerance)s") % {
        "stop": formats.number(value["interrupt_at"]),
        "until": formats.number(value["until"]),
        "tolerance": f"{value['tolerance']:g}",
    }


def _resume_measured(value: Mapping[str, Any]) -> str:
    if value.get("completed") is False:
        return _("one of its processes did not run to its end")
    first = value.get("first_difference")
    if first:
        return _("first difference: %(where)s") % {"where": visible(str(first))}
    largest = value.get("largest_difference")
    return _("largest difference %(value)s") % {"value": f"{largest:g}"} if largest is not None else ""


FIXED: dict[str, Callable[[Any], str]] = {
    "items": lambda value: formats.number(value),
    "sheet_holds": lambda value: _("accepted with a category or refused with a reason"),
    "categories": names,
    "must_refuse": names,
    "min_agreement": lambda value: _("at least %(share)s") % {"share": share(value)},
    "min_updates": lambda value: _("at least %(n)s") % {"n": formats.number(value)},
    "checkpoint_written": lambda value: _("at least %(n)s") % {"n": formats.number(value)},
    "checkpoint_loads": lambda value: _("without executing code"),
    "resume": _resume_fixed,
    "max_minutes": lambda value: _("at most %(time)s") % {"time": _plain_minutes(value)},
    "max_gpu_memory_gb": lambda value: _("at most %(size)s") % {"size": _gigabytes(value)},
}


def _sheet_measured(sheet: Mapping[str, Any]) -> str:
    counted = sheet["accepted"] + sheet["refused"]
    strays = sheet.get("duplicated_lines", 0) + sheet.get("invented_lines", 0) + sheet.get("malformed_count", 0)
    told = _of(counted, sheet["declared"])
    if not strays:
        return told
    return ngettext("%(told)s, and %(n)s stray line", "%(told)s, and %(n)s stray lines", strays) % {
        "told": told,
        "n": formats.number(strays),
    }


def _measured(code: str, value: Any, sheet: Mapping[str, Any] | None, reasons: Mapping[str, str]) -> str:
    if code == "sheet_holds" and sheet:
        return _sheet_measured(sheet)
    if code == "categories" and sheet:
        accepted = sheet["accepted"]
        return _("%(part)s among them") % {"part": _of(accepted - int(value), accepted)}
    if code == "must_refuse":
        told = [f"{name}, “{reasons[name]}”" if reasons.get(name) else str(name) for name in value]
        return names(told) if told else _("none of them")
    if code == "min_agreement" and sheet:
        agreement = sheet["agreement"]
        return f"{_of(agreement['agreed'], agreement['expected'])}, {share(value)}"
    if code == "resume":
        return _resume_measured(value)
    if code == "checkpoint_loads":
        return _("yes") if value else _("no")
    if code == "max_minutes":
        return _minutes(value)
    if code == "max_gpu_memory_gb":
        return _gigabytes(value)
    return formats.number(value) if isinstance(value, int | float) else visible(str(value))


def fixed_of(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What a configuration fixes, criterion by criterion; `None` means that it is measured and not limited."""
    criteria = config.get("criteria") or {}
    training = config.get("kind") == "training"
    rows: list[tuple[str, Any]] = []
    for code in TRAINING if training else DOCUMENTS:
        if code == "sheet_holds" or code == "checkpoint_loads":
            rows.append((code, True))
        elif code == "checkpoint_written":
            rows.append((code, 1))
        elif code == "min_updates":
            rows.append((code, criteria.get(code) or 1))
        elif code == "resume":
            if config.get("resume"):
                rows.append((code, {"tolerance": 0, **config["resume"]}))
        elif code == "max_gpu_memory_gb" or criteria.get(code):
            rows.append((code, criteria.get(code)))
    return rows


def _fixed_text(code: str, value: Any) -> str:
    return _("no limit, to be measured") if value is None else FIXED[code](value)


def before(config: Mapping[str, Any]) -> list[Row]:
    """The table before any run: only what is fixed."""
    shape, word = vocabulary.verdict("waiting")
    return [
        Row(code, vocabulary.criterion(code), _fixed_text(code, value), "", shape, word)
        for code, value in fixed_of(config)
    ]


def rows(
    config: Mapping[str, Any],
    verdicts: Sequence[Mapping[str, Any]] | None,
    *,
    sheet: Mapping[str, Any] | None = None,
    peak_gpu_bytes: int | None = None,
    has_card: bool = True,
    reasons: Mapping[str, str] | None = None,
) -> list[Row]:
    """The table of a run. Before its verdicts exist every row says that nothing was measured yet."""
    if verdicts is None:
        return before(config)
    told = [_row(verdict, sheet, reasons or {}) for verdict in verdicts]
    if all(row.code != "max_gpu_memory_gb" for row in told):
        told.append(_peak(peak_gpu_bytes, has_card=has_card))
    return told


def _row(verdict: Mapping[str, Any], sheet: Mapping[str, Any] | None, reasons: Mapping[str, str]) -> Row:
    code, value = verdict["code"], verdict["measured"]
    shape, word = vocabulary.verdict(verdict["verdict"])
    fixed = FIXED[code](verdict["fixed"]) if code in FIXED else visible(str(verdict["fixed"]))
    measured = _("no figure") if value is None else _measured(code, value, sheet, reasons)
    return Row(code, vocabulary.criterion(code), fixed, measured, shape, word)


def _peak(peak: int | None, *, has_card: bool) -> Row:
    shape, word = vocabulary.verdict("not_measured" if peak is None else "measured")
    if peak is not None:
        measured = _gigabytes(peak / 1024**3)
    else:
        measured = _("the sampler got no answer") if has_card else _("no card took part")
    name = vocabulary.criterion("max_gpu_memory_gb")
    return Row("max_gpu_memory_gb", name, _("no limit, to be measured"), measured, shape, word)
