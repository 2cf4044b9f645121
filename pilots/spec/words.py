"""The shapes that the spec hands around; the wire between site and host says them too."""

from typing import Literal, TypedDict

Fault = Literal["project", "host", "platform"]


class Item(TypedDict):
    """One declared input. `path` is relative to the project; a row of items.jsonl has `#line` behind it."""

    id: str
    path: str
    size: int
    sha256: str


class FrozenSpec(TypedDict):
    """What was fixed before launch: the configuration as written and the manifest of inputs."""

    schema: str  # "kernodeck/spec/1"
    config: dict[str, object]
    manifest: list[Item]
    project_sha256: str
