"""QR codes without a script: the path of an inline SVG, black on white in every theme."""

from typing import Final, NamedTuple

import segno

QUIET: Final = 4  # modules of white around it, as the standard wants


class Code(NamedTuple):
    """What `<svg viewBox="0 0 size size"><path stroke="#000" d="path"/></svg>` needs; its background is white."""

    size: int
    path: str


def code_of(text: str) -> Code:
    """The QR code of `text`, error correction M or better."""
    # URIs are ASCII; other text (a demo's sentence) says that it is UTF-8, or readers guess.
    made = (
        segno.make_qr(text, error="m") if text.isascii() else segno.make_qr(text, error="m", encoding="utf-8", eci=True)
    )
    rows = [bytes(row) for row in made.matrix]
    strokes: list[str] = []
    x, y = 0.0, 0.0
    for number, row in enumerate(rows):
        for start, length in _runs(row):
            to_x, to_y = QUIET + start, QUIET + number + 0.5
            strokes.append(f"m{to_x - x:g} {to_y - y:g}h{length}")
            x, y = to_x + length, to_y
    return Code(len(rows) + 2 * QUIET, "".join(strokes).replace("m", "M", 1))


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Where dark modules stand together in a row: start and length."""
    runs: list[tuple[int, int]] = []
    at = row.find(1)
    while at >= 0:
        end = row.find(0, at)
        end = len(row) if end < 0 else end
        runs.append((at, end - at))
        at = row.find(1, end)
    return runs
