"""Small project folders as archives, made on the spot."""

import io
import json
import zipfile
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

CATEGORIES = ("invoice", "contract", "letter")


def config(items: int = 12, **changed: Any) -> dict[str, Any]:
    value: dict[str, Any] = {
        "schema": "kernodeck/pilot/1",
        "kind": "documents",
        "command": ["python", "src/classify.py", "--inputs", "{inputs}", "--output", "{output}", "{remaining}"],
        "backend": "any",
        "inputs": "data/pilote",
        "revision": "git 3f2a91c",
        "references": {"model": {"name": "rules", "version": "1"}},
        "criteria": {"items": items, "categories": list(CATEGORIES), "must_refuse": [f"doc-{items:02d}"]},
        "parameters": {"batch_size": 4},
    }
    criteria = changed.pop("criteria", {})
    value["criteria"] |= criteria
    return value | changed


def ids(items: int = 12) -> list[str]:
    return [f"doc-{number:02d}" for number in range(1, items + 1)]


def files(items: int = 12, *, expected: dict[str, str] | None = None, **changed: Any) -> dict[str, bytes]:
    told = {
        "README.md": b"# Classify\n\n## Install\n\npip install -r requirements-rebuild.txt\n\n## Launch\n\n"
        b"python src/classify.py\n\n## Check\n\nCompare the sheet.\n",
        "requirements-rebuild.txt": b"# from PyPI\n",
        "config/pilote.json": json.dumps(config(items, **changed), indent=1).encode(),
        "src/classify.py": b"import sys\nprint(sys.argv)\n",
        "runs/.keep": b"",
    }
    told |= {f"data/pilote/{name}.txt": f"the text of {name}\n".encode() for name in ids(items)}
    if expected is not None:
        told["config/expected.json"] = json.dumps(expected).encode()
    return told


def archive(content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in content.items():
            made.writestr(name, data)
    return buffer.getvalue()


def upload(content: dict[str, bytes] | None = None, name: str = "project.zip", **rest: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, archive(content or files(**rest)), "application/zip")


def accepted(name: str, category: str = "invoice", **more: Any) -> dict[str, Any]:
    return {"id": name, "status": "accepted", "category": category, **more}


def refused(name: str, reason: str = "no text") -> dict[str, Any]:
    return {"id": name, "status": "refused", "reason": reason}


def lines(*rows: dict[str, Any] | str) -> bytes:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()


def good(items: int = 12) -> bytes:
    """What a program that handles everything writes."""
    return lines(*[accepted(name) for name in ids(items)[:-1]], refused(ids(items)[-1]))
