"""Small project folders, healthy unless a test spoils them."""

import json
from pathlib import Path
from typing import Any

CONFIG: dict[str, Any] = {
    "schema": "kernodeck/pilot/1",
    "kind": "documents",
    "command": [
        "python", "src/main.py", "--inputs", "{inputs}", "--output", "{output}",
        "--params", "{params}", "--remaining", "{remaining}",
    ],
    "backend": "any",
    "inputs": "data/pilote",
    "revision": "git 3f2a91c",
    "references": {"model": {"name": "rules", "version": "1", "sha256": "0" * 64}},
    "extensions": [],
    "criteria": {"items": 3, "categories": ["invoice", "letter"], "must_refuse": ["doc-3"], "min_agreement": 0.5,
                 "max_minutes": 5, "max_gpu_memory_gb": None},
    "resume": None,
    "parameters": {"batch_size": 4},
}  # fmt: skip


def changed(**values: Any) -> dict[str, Any]:
    """The configuration with top-level keys replaced, and `criteria__x` for keys of the criteria."""
    config: dict[str, Any] = json.loads(json.dumps(CONFIG))
    for key, value in values.items():
        place, _, inner = key.partition("__")
        if inner:
            config[place][inner] = value
        else:
            config[place] = value
    return config


def text(config: dict[str, Any] | None = None) -> bytes:
    return json.dumps(config or CONFIG, indent=2).encode()


def make(folder: Path, config: dict[str, Any] | None = None) -> Path:
    """A healthy project folder."""
    files = {
        "README.md": "# Example\n\n## Install\npip install -r requirements-rebuild.txt\n## Launch\n## Check\n",
        "requirements-rebuild.txt": "# from the Python Package Index\nnumpy==2.1.0\n",
        "config/expected.json": '{"doc-1": "invoice", "doc-2": "letter"}',
        "src/main.py": "import json\nimport numpy\n\nprint(json.dumps({}), numpy.pi)\n",
        "data/pilote/doc-1.txt": "Invoice 12",
        "data/pilote/doc-2.txt": "Dear Sir",
        "data/pilote/doc-3.txt": " ",
        "runs/.gitkeep": "",
    }
    for path, content in files.items():
        write(folder, path, content)
    write(folder, "config/pilote.json", text(config).decode())
    return folder


def write(folder: Path, path: str, content: str | bytes) -> Path:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    return target
