"""The diagnostic ladder in words: what each rung is called, what it proves and what it does not."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Rung(NamedTuple):
    name: Text
    proves: Text
    does_not_prove: Text


# By number: it is the same in every report, whatever a rung is called there.
RUNGS: dict[int, Rung] = {
    0: Rung(
        _("host"),
        _("The driver answers and lists its cards."),
        _("That a framework can use them. The CUDA version it names is only the driver's ceiling."),
    ),
    1: Rung(
        _("interpreter"),
        _("Which Python and which packages are really used."),
        _("That these packages can be imported."),
    ),
    2: Rung(
        _("import"),
        _("The framework loads, and whether it was built for CUDA, ROCm or the processor alone."),
        _("That a card is there."),
    ),
    3: Rung(
        _("device seen"),
        _("The framework opens the driver and carries code for this card."),
        _("That a computation runs on it."),
    ),
    4: Rung(
        _("memory"),
        _("Memory can be taken and filled, copies come back equal, and no neighbour holds it."),
        _("That arithmetic is right."),
    ),
    5: Rung(
        _("compute"),
        _("The card computes what the processor computes, for these shapes."),
        _("Other computations, or a sustained load."),
    ),
    6: Rung(
        _("libraries"),
        _("Convolution, attention and training steps work."),
        _("That extensions work."),
    ),
    7: Rung(
        _("compiler"),
        _("Compiled code equals uncompiled code; the compiler and its cache can be used."),
        _("That other programs compile."),
    ),
    8: Rung(
        _("extensions"),
        _("Each declared extension loads, and computes where we know how to ask it."),
        _("Yours, at your sizes."),
    ),
    9: Rung(
        _("several cards"),
        _("Each card works alone, and a sum over all of them is right."),
        _("Their bandwidth, or that they stay stable for long."),
    ),
    10: Rung(
        _("one item"),
        _("Your own program, its model, its paths and the memory for its longest input."),
        _("The whole set."),
    ),
    11: Rung(
        _("Blender"),
        _("The renderer uses the card, and its frame equals the processor's."),
        _("Your scene."),
    ),
}

# Blender is tried only where somebody asks for it.
OF_EVERY_RUN = tuple(rung for number, rung in sorted(RUNGS.items()) if number <= 10)
