"""Loads checkpoints without executing code and compares them tensor by tensor: a script run by the project's Python.

`python tensors.py load FILE` and `python tensors.py compare FILE FILE`; one JSON object on standard output.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any


def load(path: Path) -> Any:
    """The state of a checkpoint; never unpickles more than tensors and plain values."""
    kind = path.suffix.lower()
    if kind == ".safetensors":
        try:
            from safetensors.torch import load_file
        except ImportError:
            from safetensors.numpy import load_file
        return load_file(str(path))
    if kind == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if kind in (".npz", ".npy"):
        numpy = importlib.import_module("numpy")

        told = numpy.load(path, allow_pickle=False)
        return {name: told[name] for name in told.files} if kind == ".npz" else told
    import torch

    return torch.load(path, map_location="cpu", weights_only=True)


def leaves(value: Any, name: str = "") -> dict[str, Any]:
    """Every value of a nested state under its path, in order."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found.update(leaves(inner, f"{name}/{key}" if name else str(key)))
        return found
    if isinstance(value, (list, tuple)):
        found = {}
        for number, inner in enumerate(value):
            found.update(leaves(inner, f"{name}[{number}]"))
        return found
    return {name: value}


def difference(one: Any, other: Any) -> float | None:
    """The largest absolute difference of two values; None when they cannot be compared (shape, kind, text)."""
    if hasattr(one, "shape") or hasattr(other, "shape"):
        if getattr(one, "shape", None) != getattr(other, "shape", None) or str(getattr(one, "dtype", "")) != str(
            getattr(other, "dtype", "")
        ):
            return None
        if hasattr(one, "detach"):
            import torch

            one, other = one.detach(), other.detach()
            if one.is_complex():
                one, other = torch.view_as_real(one), torch.view_as_real(other)
            one, other = one.double(), other.double()
            both_nan = one.isnan() & other.isnan()
            gap = (one - other).abs().masked_fill(both_nan | (one == other), 0.0)
            return float(gap.max()) if gap.numel() else 0.0
        one, other = one.astype("float64"), other.astype("float64")
        equal = (one == other) | ((one != one) & (other != other))
        gap = abs(one - other)
        gap[equal] = 0.0
        return float(gap.max()) if gap.size else 0.0
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if one == other or (one != one and other != other):
            return 0.0
        return float(abs(one - other))
    return 0.0 if type(one) is type(other) and one == other else None


def compare(first: Path, second: Path) -> dict[str, Any]:
    """How two checkpoints differ: the first difference by name, and the largest of those that are figures."""
    one, other = leaves(load(first)), leaves(load(second))
    names = list(dict.fromkeys([*one, *other]))
    largest, where, comparable = 0.0, None, True
    for name in names:
        gap = difference(one[name], other[name]) if name in one and name in other else None
        if gap is None or not math.isfinite(gap):
            comparable = False
        elif gap > largest:
            largest = gap
        if where is None and gap != 0.0:
            where = name
    return {
        "tensors": len(names),
        "first_difference": where,
        "largest_difference": largest if comparable else None,
    }


def main(argv: list[str]) -> int:
    try:
        if argv[:1] == ["compare"]:
            told = compare(Path(argv[1]), Path(argv[2]))
        else:
            told = {"values": len(leaves(load(Path(argv[1]))))}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"[:1000]}
    sys.stdout.write(json.dumps(told) + "\n")
    return 1 if "error" in told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
