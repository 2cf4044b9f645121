"""The frozen spec of a pilot: configuration and manifest as one canonical JSON text with its hash."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

from pilots.spec.config import Config
from pilots.spec.words import FrozenSpec, Item

SCHEMA: Final = "kernodeck/spec/1"


def freeze(config: Config, manifest: Sequence[Item], project_sha256: str) -> FrozenSpec:
    """The spec of a project whose archive has this hash."""
    return {
        "schema": SCHEMA,
        "config": dict(config.raw),
        "manifest": list(manifest),
        "project_sha256": project_sha256,
    }


def canonical(spec: FrozenSpec | Mapping[str, object]) -> bytes:
    """The one JSON text of a spec: keys in order, no spaces, UTF-8, no NaN."""
    text = json.dumps(spec, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def sha(spec: FrozenSpec | Mapping[str, object]) -> str:
    """The hash that is shown and never changes."""
    return hashlib.sha256(canonical(spec)).hexdigest()


def read(data: bytes, sha256: str) -> FrozenSpec:
    """A spec from its canonical text, refused when its hash is not the one given."""
    spec = cast(FrozenSpec, json.loads(data))
    if sha(spec) != sha256:
        raise ValueError("the spec's hash is not the one that was frozen")
    return spec
