"""Backends, reasons and caveats in words; the codes are those of `libraries` and `verdicts`."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rental.choosing.verdicts import Cell

Text = str | Promise

KINDS: Final[dict[str, Text]] = {
    "requirements": _("a list of requirements"),
    "pyproject": _("a pyproject.toml"),
    "environment": _("a conda environment"),
    "dockerfile": _("a Dockerfile"),
}
BACKENDS: Final[dict[str, tuple[Text, Text]]] = {
    "cuda": (
        _("This points to CUDA: NVIDIA cards."),
        _("An AMD card stays possible only after the checks named below."),
    ),
    "rocm": (
        _("This points to ROCm: AMD cards."),
        _("An NVIDIA card needs the CUDA builds of the same libraries."),
    ),
    "either": (
        _("This ties you to neither backend."),
        _("Its libraries exist for both. Which build is installed decides; on Linux the usual one is for CUDA."),
    ),
    "contradictory": (
        _("This contradicts itself: one part is built for CUDA, another for ROCm."),
        _("One environment can hold only one of them. Decide which, then look again."),
    ),
    "unknown": (
        _("We cannot tell a backend from this."),
        _("Nothing in it is among the libraries we know. Choose CUDA or ROCm yourself when you know it."),
    ),
}
POINTS: Final[dict[str, Text]] = {
    "cuda": _("built for CUDA"),
    "leans": _("usually built for CUDA"),
    "rocm": _("built for ROCm"),
    "either": _("exists for both"),
    "cpu": _("built for the processor: it uses no card"),
    "check": _("may use a card; says nothing alone"),
}
ROCM: Final[dict[str, Text]] = {
    "none": _("We know of no build for AMD cards."),
    "swap": _("Another package or source is used there: %(instead)s. Check that it has your version."),
    "same": _("Its own pages name AMD cards. Check the version you use, and each function you call."),
    "source": _("To be compiled with ROCm on the machine. Plan time for it, and check its functions."),
    "fork": _("AMD keeps a version of its own: %(instead)s. Check that it holds what you call."),
    "unknown": _("We do not know. Ask its authors, or compile and check it there."),
    "hip": _("Blender’s manual names Radeon cards for HIP and no data-centre card. Check a frame first."),
    "": _("It is made for them. Check its ROCm version against the machine’s driver."),
}
CAVEATS: Final[dict[str, Text]] = {
    "own-code": _("Code of your own, or from a repository, that is built at installation. Look at what it compiles."),
    "includes": _("Another file that is named here. Look at it as well."),
    "unpinned": _("A library without an exact version: another day may bring another build."),
    "unread": _("A line we could not read. It counts for nothing here."),
    "not-linux": _("A line that is not installed on Linux. It counts for nothing here."),
}
ALWAYS: Final[tuple[Text, ...]] = (
    _("What your program imports only on some paths, and kernels it compiles while it runs."),
    _("Whether these versions work together, or on one card. A pilot shows that."),
)
LEVELS: Final[dict[str, Text]] = {
    "recommended": _("Recommended"),
    "compatible": _("Compatible"),
    "to_check": _("To be checked"),
    "blocked": _("Blocked"),
}
REASONS: Final[dict[str, Text]] = {
    "points_here": _("Your project points to this backend."),
    "no_gpu": _("For trying the whole way: it proves no GPU."),
    "custom": _("We read your description before we say yes."),
    "hip": ROCM["hip"],
    "contradictory": _("Your project holds builds for both backends: %(names)s."),
    "built_for_cuda": _("As it stands, built for CUDA: %(names)s."),
    "built_for_rocm": _("As it stands, built for ROCm: %(names)s."),
    "look_at_rocm": _("Look at ROCm support first: %(names)s."),
    "cpu_only": _("Built for the processor, it would leave the card unused: %(names)s."),
    "other_backend_cuda": _("Your program is built for CUDA: look at its ROCm support first, extensions above all."),
    "other_backend_rocm": _("Your program is built for ROCm: it needs its CUDA build here."),
}


def reasons(cell: Cell, backend: str) -> list[str]:
    """Why a cell has its level; `backend` is what the visitor said."""
    said = []
    for code, names in cell.reasons:
        words = REASONS[f"{code}_{backend}" if code == "other_backend" else code]
        said.append(str(words) % {"names": ", ".join(dict.fromkeys(names))} if names else str(words))
    return said
