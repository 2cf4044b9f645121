"""The diagnostic ladder as the guide explains it to people: what each rung proves and what it leaves open."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Rung:
    name: Promise
    proves: Promise
    leaves: Promise


RUNGS = (
    Rung(_("Host"), _("The driver answers and lists the cards"), _("That a framework can use them")),
    Rung(_("Interpreter"), _("Which Python and which packages are really used"), _("That they import")),
    Rung(_("Import"), _("The framework loads; it is built for CUDA, ROCm or the CPU"), _("That a GPU is there")),
    Rung(
        _("Device"),
        _("The framework opens the driver and holds code for this card"),
        _("That anything runs on it"),
    ),
    Rung(
        _("Memory"),
        _("Data copied out and back is equal; most of the free memory can be filled"),
        _("That sums come out right"),
    ),
    Rung(
        _("Computation"),
        _("Matrix products agree with the CPU, twice the same"),
        _("Other kernels, or hours of load"),
    ),
    Rung(_("Libraries"), _("Convolution, attention and a few training steps work"), _("Your extensions")),
    Rung(_("Compiler"), _("A compiled function agrees with the plain one"), _("Other functions")),
    Rung(
        _("Extensions"),
        _("Each one you declare imports, and runs where we know how to try it"),
        _("Your own use of it, at your sizes"),
    ),
    Rung(_("Several cards"), _("They reach each other and sum up the right value"), _("Bandwidth, or days of it")),
    Rung(
        _("One item"),
        _("Your own program on its shortest, then its longest input"),
        _("The whole set: that is the pilot"),
    ),
)
