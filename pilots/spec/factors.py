"""What changed between two tries of a pilot: each factor by name, and whether more than one did."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pilots.spec.words import FrozenSpec

# The groups a person thinks in; two changes within one group count as one factor changed.
GROUPS: Final = ("program", "inputs", "parameters", "criteria", "references", "environment", "machine")
_CONFIG_GROUP: Final = {
    "parameters": "parameters",
    "criteria": "criteria",
    "resume": "criteria",
    "references": "references",
    "extensions": "environment",
    "backend": "machine",
    "inputs": "inputs",
}


@dataclass(frozen=True)
class Factor:
    """One thing that differs: its group, a stable name, the value before and after (None: it was not there)."""

    group: str
    name: str
    before: str | None
    after: str | None

    def as_dict(self) -> dict[str, str | None]:
        return {"group": self.group, "name": self.name, "before": self.before, "after": self.after}


def describe(
    spec: FrozenSpec,
    *,
    files: Mapping[str, str] | None = None,
    freeze: Iterable[str] = (),
    machine: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """A try as flat factors. `files` are the project's hashes by path, `freeze` the environment's name==version lines,
    `machine` the host's facts: host, card, driver, backend, python and whatever else was observed."""
    flat: dict[str, str] = {}
    for key, value in spec["config"].items():
        if key != "schema":
            _flatten(_CONFIG_GROUP.get(key, "program"), key, value, flat)
    listed = spec["manifest"]
    flat["inputs:declared"] = str(len(listed))
    flat["inputs:manifest"] = _hash(listed)
    if files is None:
        flat["program:project"] = spec["project_sha256"]
    else:
        flat |= {f"program:{path}": sha256 for path, sha256 in files.items()}
    for line in freeze:
        name, version = _package(line)
        if name:
            flat[f"environment:{name}"] = version
    for key, value in (machine or {}).items():
        _flatten("machine", key, value, flat)
    return flat


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[Factor]:
    """The factors of two described tries that differ, by group and name."""
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    split = [(*name.partition(":")[::2], name) for name in names]
    factors = [Factor(group, short, before.get(name), after.get(name)) for group, short, name in split]
    return sorted(factors, key=lambda factor: (GROUPS.index(factor.group), factor.name))


def groups(factors: Iterable[Factor]) -> list[str]:
    """The groups that changed; more than one and no single cause can be named."""
    found = {factor.group for factor in factors}
    return [group for group in GROUPS if group in found]


def _flatten(group: str, name: str, value: Any, flat: dict[str, str]) -> None:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            _flatten(group, f"{name}.{key}", item, flat)
    elif value is not None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        flat[f"{group}:{name}"] = text if len(text) <= 300 else f"{text[:200]}… sha256 {_hash(value)[:16]}"


def _hash(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _package(line: str) -> tuple[str, str]:
    line = line.strip()
    if not line or line.startswith(("#", "-")):
        return "", ""
    for mark in ("==", " @ "):
        if mark in line:
            name, version = line.split(mark, 1)
            return name.strip().lower().replace("_", "-"), version.strip()
    return line.lower(), ""
