"""A small client of the JSON API, as a customer's own script would be."""

import json
import time
from pathlib import Path
from typing import Any

import urllib3


class Api:
    def __init__(self, url: str, token: str) -> None:
        self.url, self.http = f"{url}/api/v1", urllib3.PoolManager(retries=False, timeout=30)
        self.headers = {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: Any = None, *, key: str = "", **fields: Any) -> tuple[int, Any]:
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        if fields:
            answer = self.http.request(method, self.url + path, fields=fields, headers=headers)
        else:
            answer = self.http.request(method, self.url + path, json=body if body is not None else {}, headers=headers)
        kind = answer.headers.get("Content-Type", "")
        return answer.status, json.loads(answer.data) if "json" in kind else answer.data

    def get(self, path: str) -> Any:
        answer = self.http.request("GET", self.url + path, headers=self.headers)
        assert answer.status == 200, (path, answer.status, answer.data[:500])
        return json.loads(answer.data) if "json" in answer.headers.get("Content-Type", "") else answer.data

    def post(self, path: str, body: Any = None, *, status: int | None = None, key: str = "", **fields: Any) -> Any:
        got, answer = self.call("POST", path, body, key=key, **fields)
        assert got == status if status else got in (200, 201), (path, got, answer)
        return answer

    def upload(self, archive: bytes, name: str = "project.tar.gz") -> Any:
        return self.post("/projects", archive=(name, archive, "application/gzip"))

    def until_over(self, run: str, seconds: float = 420) -> Any:
        """The run once its outcome is final and, if it completed, its copy re-read."""
        end = time.monotonic() + seconds
        while True:
            row = self.get(f"/runs/{run}")
            if row["outcome"] and (row["stage"] == "verified" or row["outcome"] in ("cancelled", "lost", "refused")):
                return row
            assert time.monotonic() < end, row
            time.sleep(0.5)


def pack(folder: Path) -> bytes:
    """The folder as a tar.gz, as `kernodeck pack` makes it."""
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.add(path, arcname=str(path.relative_to(folder)))
    return buffer.getvalue()
