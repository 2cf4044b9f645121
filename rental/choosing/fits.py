"""Each card with each preparation for what is known of a project: verdict, reasons, and when it was last proved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rental.choosing import project_words as words
from rental.choosing import proofs, verdicts
from rental.choosing.libraries import SIGNS
from rental.models import Card, Preparation


@dataclass(frozen=True)
class Fit:
    """One cell, ready to be shown. `proof` is empty where nothing was observed."""

    preparation: str
    name: str
    level: str
    reasons: list[str]
    codes: list[str]
    proof: proofs.Proof | None

    @property
    def word(self) -> words.Text:
        return words.LEVELS[self.level]


class Fits:
    """The verdicts for one visitor: what their project shows, what they say of it, and what they may see."""

    def __init__(self, libs: str, backend: str, reader: Any) -> None:
        self.signs = verdicts.parse(libs)
        self.backend = backend if backend in ("cuda", "rocm") else ""
        self.proofs: Mapping[tuple[int, str], proofs.Proof] = proofs.latest(reader)

    @property
    def names(self) -> list[str]:
        """The libraries found, by name."""
        return list(dict.fromkeys(str(SIGNS[sign.slug].name) for sign in self.signs))

    def of(self, card: Card) -> dict[str, Fit]:
        """By preparation."""
        return {str(slug): self._fit(card, str(slug), str(name)) for slug, name in Preparation.choices}

    def _fit(self, card: Card, preparation: str, name: str) -> Fit:
        cell = verdicts.cell(card.backend, preparation, self.signs, self.backend)
        return Fit(
            preparation=preparation,
            name=name,
            level=cell.level,
            reasons=words.reasons(cell, self.backend),
            codes=[code for code, _names in cell.reasons],
            proof=self.proofs.get((card.pk, preparation)),
        )
