"""A small site that speaks the host API over real HTTP: claims, fencing, files by offset, planted faults."""

import hashlib
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pilots.spec import archive, frozen, manifest
from pilots.spec.config import load

TOKEN = "kh_token-of-this-host"
WORD = "ke_one-time-word"


@dataclass
class FakeRun:
    packed: bytes
    spec: dict[str, Any]
    attempt: int = 1
    claims: dict[int, str] = field(default_factory=dict)  # attempt → claim
    files: dict[int, dict[str, bytearray]] = field(default_factory=dict)
    finished: dict[str, Any] | None = None
    cancel: bool = False
    reports: int = 0
    remaining: list[str] | None = None

    def held(self) -> dict[str, int]:
        return {name: len(data) for name, data in self.files.get(self.attempt, {}).items()}

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[self.attempt].get(name, b"").splitlines()]

    def key(self, attempt: int) -> str:
        return f"kr_{attempt}_{self.claims[attempt]}"


class FakeSite:
    """What it was asked is kept; `drop` of the answers get lost on the way, `away` answers nothing at all."""

    def __init__(self, broker: str = "redis://127.0.0.1:1/0") -> None:
        self.runs: dict[str, FakeRun] = {}
        self.broker = broker
        self.drop, self.away, self.fail = 0.0, False, 0
        self.random = random.Random(7)
        self.lock = threading.Lock()
        self.hellos: list[dict[str, Any]] = []
        self.reports: list[list[dict[str, Any]]] = []
        self.requests: list[tuple[str, str, int]] = []  # method, path, status
        self.url = ""

    def add(self, name: str, folder: Path, work: Path) -> FakeRun:
        packed = work / f"{name}.zip"
        with packed.open("wb") as file:
            digest = archive.pack(folder, file)
        config = load(folder)
        for_host = work / f"{name}-host.zip"
        with for_host.open("wb") as file:
            archive.for_host(packed, file)
        spec = dict(frozen.freeze(config, manifest.freeze(folder, config), digest))
        self.runs[name] = FakeRun(for_host.read_bytes(), spec)
        return self.runs[name]

    @contextmanager
    def serving(self) -> Iterator["FakeSite"]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: object) -> None:
                pass

            def do_GET(self) -> None:
                self.answer("GET")

            def do_POST(self) -> None:
                self.answer("POST")

            def answer(self, method: str) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with site.lock:
                    if site.away:
                        status, body = 0, b""
                    elif site.fail:
                        site.fail -= 1
                        status, body = 503, b'{"code": "busy"}'
                    else:
                        status, body = site.handle(method, self.path, self.headers.get("Authorization", ""), data)
                    lost = not status or site.random.random() < site.drop
                    site.requests.append((method, urlsplit(self.path).path, status))
                if lost:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                if status == 503:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(body)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def handle(self, method: str, target: str, bearer: str, data: bytes) -> tuple[int, bytes]:
        parts = urlsplit(target)
        path = parts.path.removeprefix("/api/host/v1/").split("/")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if path[0] == "runs":
            return self.of_run(path, query, bearer, data)
        body = json.loads(data)
        if path == ["enrol"]:
            if body["token"] != WORD:
                return no(403, "enrolment_refused")
            return yes(
                {"host": "a", "token": TOKEN, "broker_url": self.broker, "key_prefix": "h:a:", "hello_seconds": 1}
            )
        if bearer != f"Bearer {TOKEN}":
            return no(401, "unauthorized")
        if path == ["hello"]:
            self.hellos.append(body["facts"])
            return yes({"hello_seconds": 1})
        if path == ["diagnostic"]:
            self.reports.append(body["report"])
            return yes({"proved": [{"card": "cpu", "count": 1}]})
        return self.claim(body)

    def claim(self, body: dict[str, Any]) -> tuple[int, bytes]:
        run = self.runs.get(body["run"])
        if run is None:
            return no(404, "not_found")
        taken = run.claims.get(body["attempt"])
        if run.finished or body["attempt"] != run.attempt or (taken and taken != body["claim"]):
            return no(409, "stale")
        run.claims[run.attempt] = body["claim"]
        run.files.setdefault(run.attempt, {})
        return yes({
            "run": body["run"], "attempt": run.attempt, "claim": body["claim"], "run_key": run.key(run.attempt),
            "try_number": 1, "spec": run.spec, "spec_sha256": frozen.sha(run.spec),
            "archive_sha256": hashlib.sha256(run.packed).hexdigest(), "archive_size": len(run.packed),
            "remaining": run.remaining, "env": {}, "lease_seconds": 60, "report_seconds": 0.2, "held": run.held(),
        })  # fmt: skip

    def of_run(self, path: list[str], query: dict[str, str], bearer: str, data: bytes) -> tuple[int, bytes]:
        run = self.runs[path[1]]
        known = {f"Bearer {run.key(attempt)}": attempt for attempt in run.claims}
        if bearer not in known:
            return no(401, "unauthorized")
        if path[2] == "archive":
            return 200, run.packed
        body = query if path[2] == "files" else json.loads(data)
        attempt = int(body["attempt"])
        if path[2] == "finish" and run.finished == body:
            return yes({"held": run.held()})
        if run.finished or attempt != run.attempt or known[bearer] != attempt or run.claims[attempt] != body["claim"]:
            return no(409, "stale")
        if path[2] == "report":
            run.reports += 1
            return yes({"cancel": run.cancel, "lease_seconds": 60, "report_seconds": 0.2, "held": run.held()})
        if path[2] == "files":
            return self.append(run.files[attempt].setdefault(path[3], bytearray()), int(query["offset"]), data)
        ours = run.held()
        if any(fact["size"] > ours.get(name, 0) for name, fact in body["files"].items()):
            return no(409, "incomplete", held=ours)
        for name, fact in body["files"].items():
            assert hashlib.sha256(run.files[attempt].get(name, b"")).hexdigest() == fact["sha256"], name
        run.finished = body
        return yes({"held": ours})

    def append(self, kept: bytearray, offset: int, data: bytes) -> tuple[int, bytes]:
        if offset + len(data) <= len(kept):
            assert kept[offset : offset + len(data)] == data
            return yes({"held": len(kept)})
        if offset != len(kept):
            return no(409, "gap", held=len(kept))
        kept += data
        return yes({"held": len(kept)})


def yes(body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps(body).encode()


def no(status: int, code: str, **more: Any) -> tuple[int, bytes]:
    return status, json.dumps({"code": code, "detail": code, **more}).encode()


def until(what: Any, seconds: float = 60.0, every: float = 0.05) -> None:
    """Waits for something to become true; an assertion names the test's line when it does not."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(every)
