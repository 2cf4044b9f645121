"""From signs to a backend, and from a card, a preparation and signs to a verdict: pure, the same answer every time."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rental.choosing.finding import Finding
from rental.choosing.libraries import CAVEATS, SIGNS

MOST: Final = 60  # signs worth carrying in an address
# From best to worst; a cell has the worst of what speaks about it.
LEVELS: Final = ("recommended", "compatible", "to_check", "blocked")


@dataclass(frozen=True, order=True)
class Shown:
    """A sign of a project; an optional one is only installed when asked for."""

    slug: str
    optional: bool = False

    @property
    def points(self) -> str:
        return SIGNS[self.slug].points


@dataclass(frozen=True)
class Cell:
    """What speaks for or against a card with a preparation: a level, and codes with the names they are about."""

    level: str
    reasons: tuple[tuple[str, tuple[str, ...]], ...] = ()


def write(signs: Iterable[Shown]) -> str:
    """Signs as they stand in an address: `flash-attn.torch-cuda~`, where ~ marks an optional one."""
    return ".".join(f"{sign.slug}{'~' if sign.optional else ''}" for sign in sorted(set(signs)))


def parse(text: str) -> tuple[Shown, ...]:
    """Signs out of an address; what is none is left out."""
    parts = text.replace(",", ".").split(".")[:MOST]
    found = {Shown(part.removesuffix("~"), part.endswith("~")) for part in parts if part.removesuffix("~") in SIGNS}
    needed = {sign.slug for sign in found if not sign.optional}
    return tuple(sorted(sign for sign in found if not (sign.optional and sign.slug in needed)))


def signs_of(findings: Iterable[Finding]) -> tuple[Shown, ...]:
    return parse(write(Shown(finding.slug, finding.optional) for finding in findings if not finding.is_caveat))


def caveats_of(text: str) -> tuple[str, ...]:
    asked = set(text.split("."))
    return tuple(caveat for caveat in CAVEATS if caveat in asked)


def backend_of(signs: Iterable[Shown]) -> str:
    """`cuda`, `rocm`, `either`, `contradictory` or `unknown`.

    What is always installed speaks before what is optional; both builds as options are no contradiction.
    """
    signs = tuple(signs)
    always = {sign.points for sign in signs if not sign.optional}
    some = {sign.points for sign in signs if sign.optional}
    if {"cuda", "rocm"} <= always:
        return "contradictory"
    for points in (always, some):
        if {"cuda", "rocm"} <= points:
            return "either"
        for one in ("cuda", "rocm"):
            if one in points:
                return one
    if "leans" in always | some:
        return "cuda"
    return "either" if "either" in always | some else "unknown"


def cell(card: str, preparation: str, signs: Iterable[Shown], backend: str = "") -> Cell:
    """The verdict on a card of backend `card` with a preparation.

    Args:
        backend: what the visitor says of their program; it counts where the signs say nothing.
    """
    signs = tuple(signs)
    if card == "cpu":
        return Cell("to_check", (("no_gpu", ()),))
    reasons = [*_of_preparation(card, preparation), *_of_signs(card, signs)]
    told = backend_of(signs)
    wanted = told if told in ("cuda", "rocm") else backend if told in ("either", "unknown") else ""
    if told in ("either", "unknown") and backend and backend != card:
        reasons.append(("to_check", "other_backend", ()))
    level = max((reason[0] for reason in reasons), key=LEVELS.index, default="compatible")
    if level == "compatible" and wanted == card:
        level = "recommended"
        reasons.append(("recommended", "points_here", ()))
    return Cell(level, tuple((code, names) for _level, code, names in reasons))


def _of_preparation(card: str, preparation: str) -> list[tuple[str, str, tuple[str, ...]]]:
    if preparation == "custom":
        return [("to_check", "custom", ())]
    if preparation == "blender" and card == "rocm":
        return [("to_check", "hip", ())]
    return []


def _of_signs(card: str, signs: tuple[Shown, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    names: dict[str, list[str]] = {}
    for sign in signs:
        names.setdefault(f"{sign.points}{'~' if sign.optional else ''}", []).append(str(SIGNS[sign.slug].name))
    reasons = []
    other = "rocm" if card == "cuda" else "cuda"
    both = names.get("cuda") and names.get("rocm")
    if both:
        reasons.append(("to_check", "contradictory", (*names["cuda"], *names["rocm"])))
    elif other in names:
        reasons.append(("blocked", f"built_for_{other}", tuple(names[other])))
    elif f"{other}~" in names and f"{card}~" not in names and card not in names:
        reasons.append(("to_check", f"built_for_{other}", tuple(names[f"{other}~"])))
    if card == "rocm":
        look = [name for key in ("leans", "leans~", "check", "check~") for name in names.get(key, ())]
        if look:
            reasons.append(("to_check", "look_at_rocm", tuple(look)))
    if "cpu" in names:
        reasons.append(("to_check", "cpu_only", tuple(names["cpu"])))
    return reasons
