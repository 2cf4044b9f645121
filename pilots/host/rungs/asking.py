"""What can be asked of the ladder: by a person on the command line, and by the ladder of its own children."""

from __future__ import annotations

import argparse
import os
import sys


def parser() -> argparse.ArgumentParser:
    make = argparse.ArgumentParser(description="Climb the diagnostic ladder; exit 0 when nothing failed, 1 otherwise.")
    make.add_argument("--json", action="store_true", help="one JSON line a rung, nothing else")
    make.add_argument("--keep-going", action="store_true", help="go on after a failure")
    make.add_argument(
        "--torch-python", metavar="PATH", help="interpreter of the environment to judge; it must have torch"
    )
    make.add_argument("--need-torch", action="store_true", help="a missing torch is a failure even without a card")
    make.add_argument("--backend", choices=["any", "cpu", "cuda", "rocm"], help="what must be there")
    make.add_argument("--cards", type=int, help="how many cards were ordered")
    make.add_argument(
        "--extensions", default="", metavar="A,B", help="extensions to import and, where known, to exercise"
    )
    make.add_argument("--fill", type=float, default=0.9, help="share of free memory to fill (0.9)")
    make.add_argument("--compile", action="store_true", help="try torch.compile on a CPU too")
    make.add_argument("--blender", metavar="PATH", help="also render a small frame with this Blender")
    make.add_argument("--only", metavar="0,1,2", help="these rungs only")
    make.add_argument("--time-limit", type=float, metavar="SECONDS", help="for every rung, instead of its own")
    for hidden in ("--rung", "--rank", "--seen"):
        make.add_argument(hidden, type=int, default=0 if hidden == "--seen" else None, help=argparse.SUPPRESS)
    make.add_argument("--result", help=argparse.SUPPRESS)
    return make


def again(rung: int, want: argparse.Namespace) -> list[str]:
    python = want.torch_python if want.torch_python and rung else sys.executable
    argv = [
        python,
        os.path.abspath(__file__),
        "--rung",
        str(rung),
        "--seen",
        str(want.seen),
        "--fill",
        str(want.fill),
        "--extensions",
        want.extensions,
    ]
    for flag, value in (("--backend", want.backend), ("--cards", want.cards), ("--blender", want.blender)):
        argv += [flag, str(value)] if value is not None else []
    return argv + ["--need-torch"] * bool(want.need_torch or want.torch_python) + ["--compile"] * bool(want.compile)
