"""The command line's side of the site: push a project, look at a run, fetch its evidence."""

import os
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from pilots.host.calls import Answer, Site
from pilots.spec import archive


class SaidNo(Exception):
    """The site refused; its own sentence."""


def api(url: str, token: str) -> Site:
    return Site(url, token, prefix="/api/v1/")


def push(
    site: Site, folder: Path, *, order: str = "", host: str = "", title: str = "", launch: bool = False
) -> dict[str, Any]:
    """Uploads the packed folder; makes a pilot of it for an order or a host, and launches it when asked."""
    with tempfile.TemporaryFile() as packed:
        archive.pack(folder, packed)
        packed.seek(0)
        data = packed.read()
    told: dict[str, Any] = {"project": _upload(site, data)}
    if order or host:
        place = {"order": order} if order else {"host": host}
        body = {"project": told["project"]["id"], "title": title or folder.resolve().name, **place}
        told["pilot"] = _posted(site, "pilots", body)
        if launch:
            told["run"] = _posted(site, f"pilots/{told['pilot']['id']}/runs", {})
    return told


def run(site: Site, identity: str) -> dict[str, Any]:
    return _ok(site.call("GET", f"runs/{identity}"))


def wait(site: Site, identity: str, every: float = 2.0) -> dict[str, Any]:
    """The run once it is over and verified, or over for good."""
    while True:
        told = run(site, identity)
        if told.get("stage") == "verified" or (told.get("outcome") and told["outcome"] != "completed"):
            return told
        time.sleep(every)


def fetch(site: Site, identity: str, target: Path) -> int:
    """The evidence as a file; never half of one under its name."""
    new = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        size = site.download(f"runs/{identity}/evidence", new)
        new.replace(target)
    except ValueError as error:
        raise SaidNo(str(error)) from error
    finally:
        new.unlink(missing_ok=True)
    return size


def _upload(site: Site, data: bytes) -> dict[str, Any]:
    boundary = uuid.uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="project.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Idempotency-Key": uuid.uuid4().hex}
    return _ok(site.call("POST", "projects", body, headers=headers))


def _posted(site: Site, path: str, body: dict[str, Any]) -> dict[str, Any]:
    return _ok(site.call("POST", path, body, headers={"Idempotency-Key": uuid.uuid4().hex}))


def _ok(answer: Answer) -> dict[str, Any]:
    if not answer.ok:
        raise SaidNo(f"{answer.detail} [{answer.code or answer.status}]")
    return answer.body
