"""Rungs 2 and 3: torch loads, is built for this card, and opens it; the same test on every device."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pilots.host.rungs.base import Facts, Failed, NotApplicable


def load_torch(want: argparse.Namespace) -> Any:
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        if want.need_torch or want.seen:
            raise Failed(
                "torch is not installed in this interpreter",
                "Pin torch in requirements-rebuild.txt, with the build for this card.",
                torch=None,
                executable=sys.executable,
            ) from error
        raise NotApplicable(
            "torch is not installed, no card is listed and nothing here asks for it",
            "Give --torch-python the interpreter of an environment with torch to prove more.",
            torch=None,
        ) from error


def rung_import(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    build = "cuda" if torch.version.cuda else "rocm" if getattr(torch.version, "hip", None) else "cpu"
    facts = {
        "torch": torch.__version__,
        "build": build,
        "cuda": torch.version.cuda,
        "hip": getattr(torch.version, "hip", None),
        "git": getattr(torch.version, "git_version", None),
        "file": torch.__file__,
    }
    if want.backend in ("cuda", "rocm") and build != want.backend:
        raise Failed(
            f"a {build} build of torch, and {want.backend} is asked for",
            f"Install the {want.backend} wheel of torch.",
            **facts,
        )
    return facts


def rung_device(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    if not torch.version.cuda and not getattr(torch.version, "hip", None):
        if want.seen:
            raise Failed(
                f"{want.seen} cards are listed but this torch is a CPU build",
                "Install the wheel for this backend.",
                device="cpu",
            )
        raise NotApplicable(
            "CPU build, no card listed: no GPU was proved",
            "Nothing to do on a CPU machine.",
            device="cpu",
            gpu_proved=False,
        )
    facts: Facts = {
        "available": torch.cuda.is_available(),
        "count": torch.cuda.device_count(),
        "arch_list": torch.cuda.get_arch_list(),
    }
    if not facts["available"]:
        if not want.seen and want.backend not in ("cuda", "rocm"):
            raise NotApplicable(
                "no card listed: no GPU was proved", "Nothing to do on a CPU machine.", gpu_proved=False, **facts
            )
        raise Failed(
            "torch sees no device",
            "Compare the driver's version with the wheel's CUDA or ROCm; look at *_VISIBLE_DEVICES.",
            **facts,
        )
    facts["devices"] = []
    for index in range(facts["count"]):
        got = torch.cuda.get_device_properties(index)
        arch = getattr(got, "gcnArchName", "") or f"sm_{got.major}{got.minor}"
        known = [a.split("_")[-1].split(":")[0] for a in facts["arch_list"]]
        # A wheel runs on a card of its own architecture, an older minor of the same major, or through PTX (compute_*).
        fits = (
            not known
            or arch.split(":")[0].split("_")[-1] in known
            or (
                arch.startswith("sm_")
                and any(
                    a.startswith("compute_")
                    or (a.startswith("sm_") and a[3:-1] == str(got.major) and a[-1:] <= str(got.minor))
                    for a in facts["arch_list"]
                )
            )
        )
        facts["devices"].append(
            {
                "index": index,
                "name": got.name,
                "memory_bytes": got.total_memory,
                "arch": arch,
                "carried": fits,
                "uuid": str(getattr(got, "uuid", "")),
            }
        )
    if want.cards is not None and facts["count"] != want.cards:
        raise Failed(
            f"{want.cards} cards expected, torch sees {facts['count']}", "Look at *_VISIBLE_DEVICES and MIG.", **facts
        )
    if not all(device["carried"] for device in facts["devices"]):
        raise Failed(
            "this wheel carries no code for the card", "Install a torch wheel built for this architecture.", **facts
        )
    return facts


def devices(torch: Any) -> Iterator[str]:
    yield from [f"cuda:{i}" for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else ["cpu"]


def each(want: argparse.Namespace, test: Callable[[Any, str], Facts]) -> Facts:
    """The same test on every device; what ran on the CPU never counts as a GPU proved."""
    torch = load_torch(want)
    torch.manual_seed(0)
    seen = [dict(test(torch, device), device=device) for device in devices(torch)]
    return {"devices": seen, "device": seen[0]["device"], "gpu_proved": seen[0]["device"] != "cpu"}


def settle(torch: Any, device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize(device)
