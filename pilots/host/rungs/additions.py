"""Rungs 7 and 8: the compiler and the declared extensions."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from pilots.host.rungs.base import Facts, Failed, NotApplicable
from pilots.host.rungs.framework import each, load_torch


def rung_compiler(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    if not torch.cuda.is_available() and not want.compile:
        raise NotApplicable("asked only of a GPU (or with --compile)", "Nothing to do.", device="cpu")

    def plain(x: Any) -> Any:
        return torch.nn.functional.gelu(x * 2 + 1).sum(-1)

    compiled = torch.compile(plain)

    def test(torch: Any, device: str) -> Facts:
        x = torch.randn(64, 64, device=device)
        error = float((compiled(x) - plain(x)).abs().max())
        if error > 1e-3:
            raise Failed(
                f"compiled and eager differ by {error:.2e} on {device}",
                "Run eager, and report the versions.",
                device=device,
            )
        return {"error": error}

    return each(want, test)


def exercise(name: str, torch: Any) -> bool:
    """Runs a known extension's kernel on the first card; False where there is nothing to run it on or with."""
    if not torch.cuda.is_available():
        return False

    def half(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda", dtype=torch.float16)

    if name == "flash_attn":
        importlib.import_module("flash_attn").flash_attn_func(
            half(1, 64, 4, 64), half(1, 64, 4, 64), half(1, 64, 4, 64)
        )
    elif name == "xformers":
        importlib.import_module("xformers.ops").memory_efficient_attention(
            half(1, 64, 4, 64), half(1, 64, 4, 64), half(1, 64, 4, 64)
        )
    elif name == "bitsandbytes":
        bnb = importlib.import_module("bitsandbytes.functional")
        bnb.dequantize_4bit(*bnb.quantize_4bit(half(256, 256)))
    else:
        return False
    torch.cuda.synchronize()
    return True


def rung_extensions(want: argparse.Namespace) -> Facts:
    names = [name for name in want.extensions.split(",") if name]
    if not names:
        raise NotApplicable("no extension is declared", "Declare them under extensions in config/pilote.json.")
    torch, seen = load_torch(want), []
    for name in names:
        sys.stderr.write(f"extension {name}\n")  # a crash leaves this as its last words
        try:
            module = importlib.import_module(name.replace("-", "_"))
            seen.append(
                {"name": name, "version": getattr(module, "__version__", None), "exercised": exercise(name, torch)}
            )
        except Exception as error:
            raise Failed(
                f"{name}: {type(error).__name__}: {error}",
                f"Rebuild {name} against this torch and this card.",
                extensions=seen,
            ) from error
    return {"extensions": seen}
