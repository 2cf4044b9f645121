"""A host as the site meets it: only what goes over HTTP, as the wire words it."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.test import Client

from pilots import fleet

BASE = "/api/host/v1"
FACTS = {
    "agent": "test", "hostname": "h", "platform": "Linux", "python": "3.11.2", "cpus": 2, "memory_bytes": 8 << 30,
    "disk_free_bytes": 1 << 30, "cards": [], "sandbox": "process",
}  # fmt: skip


@dataclass
class HostAgent:
    name: str = "host-1"
    client: Client = field(default_factory=Client)
    token: str = ""

    def post(self, path: str, body: Any, token: str | None = None) -> tuple[int, Any]:
        answer = self.client.post(
            f"{BASE}/{path}",
            json.dumps(body),
            content_type="application/json",
            headers={"authorization": f"Bearer {token or self.token}"},
        )
        return answer.status_code, answer.json()

    def enrol(self) -> "HostAgent":
        status, answer = self.post("enrol", {"token": fleet.invite(self.name), "name": self.name, "facts": FACTS})
        assert status == 201, answer
        self.token = answer["token"]
        return self

    def claim(self, run: str, attempt: int = 1, claim: str | None = None) -> "Claimed":
        claim = claim or uuid4().hex
        status, answer = self.post("claim", {"run": run, "attempt": attempt, "claim": claim})
        assert status == 200, answer
        return Claimed(self, answer)


@dataclass
class Claimed:
    host: HostAgent
    told: dict[str, Any]
    content: dict[str, bytes] = field(default_factory=dict)

    @property
    def fence(self) -> dict[str, Any]:
        return {"attempt": self.told["attempt"], "claim": self.told["claim"]}

    @property
    def path(self) -> str:
        return f"runs/{self.told['run']}"

    def report(self) -> tuple[int, Any]:
        return self.host.post(f"{self.path}/report", self.fence, self.told["run_key"])

    def send(self, name: str, offset: int, data: bytes, client: Client | None = None) -> tuple[int, Any]:
        answer = (client or self.host.client).generic(
            "POST",
            f"{BASE}/{self.path}/files/{name}?offset={offset}&attempt={self.told['attempt']}&claim={self.told['claim']}",
            data,
            content_type="application/octet-stream",
            headers={"authorization": f"Bearer {self.told['run_key']}"},
        )
        return answer.status_code, answer.json()

    def ship(self, name: str, data: bytes) -> None:
        """The next range of a file."""
        held = self.content.get(name, b"")
        status, answer = self.send(name, len(held), data)
        assert status == 200, answer
        self.content[name] = held + data
        assert answer["held"] == len(self.content[name])

    def stages(self, *names: str) -> None:
        rows = [{"at": "2026-12-01T09:00:00Z", "kind": "stage", "stage": name, "data": {}} for name in names]
        self.ship("events.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())

    def manifest(self, **changed: Any) -> dict[str, Any]:
        facts = {
            name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in self.content.items()
        }
        end = {"outcome": "completed", "reason": "program_ended", "fault": None, "exit_code": 0}
        return {**self.fence, **end, "files": facts, **changed}

    def finish(self, **changed: Any) -> tuple[int, Any]:
        return self.host.post(f"{self.path}/finish", self.manifest(**changed), self.told["run_key"])
