"""HTTP to the site: one call, or one call repeated until it has an answer that means something."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

import urllib3

T = TypeVar("T")
LONGEST_WAIT: Final = 60.0
_TIMEOUT: Final = urllib3.Timeout(connect=5, read=30)
_LONGEST_ANSWER: Final = 64 * 1024**2


class Unreachable(Exception):
    """No answer, or one that says to come again: a network fault, 429, or the site's own failure."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after  # seconds, when the site said so


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))

    @property
    def detail(self) -> str:
        return str(self.body.get("detail") or self.body.get("title") or f"status {self.status}")

    @property
    def over(self) -> bool:
        """The site wants no more of this: stop, end the program, keep the files."""
        return self.status in (401, 403, 404, 410) or (self.status == 409 and self.code == "stale")


class Site:
    """A site's address and a word that opens it. The word goes into a header, never into an address or a log."""

    def __init__(self, url: str, token: str = "", prefix: str = "/api/host/v1/") -> None:
        self.url = url.rstrip("/")
        self._prefix, self._token = prefix, token
        self._pool = urllib3.PoolManager(timeout=_TIMEOUT, retries=False, maxsize=4)

    def with_token(self, token: str) -> "Site":
        return Site(self.url, token, self._prefix)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One try; raises Unreachable."""
        sent = {**self._headers(), **(headers or {})}
        data: bytes | None = None
        if isinstance(body, bytes):
            data = body
            sent.setdefault("Content-Type", "application/octet-stream")
        elif body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        try:
            answer = self._pool.request(method, self._address(path, query), body=data, headers=sent, redirect=False)
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"{self.url}: {type(error).__name__}") from error
        if answer.status == 429 or answer.status >= 500:
            raise Unreachable(f"{self.url} answered {answer.status}", _seconds(answer.headers.get("Retry-After")))
        return Answer(answer.status, _object(answer.data[:_LONGEST_ANSWER], answer.status))

    def download(self, path: str, target: Path, size: int | None = None) -> int:
        """Bytes of an answer into a new file, no more than `size`; raises Unreachable, or ValueError when refused."""
        try:
            answer = self._pool.request(
                "GET", self._address(path, None), headers=self._headers(), preload_content=False, redirect=False
            )
            try:
                if answer.status != 200:
                    told = Answer(answer.status, _object(answer.read(65536), answer.status))
                    if answer.status == 429 or answer.status >= 500:
                        after = _seconds(answer.headers.get("Retry-After"))
                        raise Unreachable(f"{self.url} answered {answer.status}", after)
                    raise ValueError(told.detail)
                return _save(answer.stream(1024 * 1024), target, size)
            finally:
                answer.release_conn()
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"{self.url}: {type(error).__name__}") from error

    def _headers(self) -> dict[str, str]:
        return {"Accept": "application/json", **({"Authorization": f"Bearer {self._token}"} if self._token else {})}

    def _address(self, path: str, query: Mapping[str, Any] | None) -> str:
        return self.url + self._prefix + quote(path) + (f"?{urlencode(query)}" if query else "")


def insist(
    act: Callable[[], T], *, give_up: Callable[[], bool] = lambda: False, told: Callable[[str], None] = lambda _: None
) -> T | None:
    """The act's value, tried again with full-jitter waits up to a minute; None when told to give up."""
    tries = 0
    while True:
        try:
            return act()
        except Unreachable as error:
            told(str(error))
            wait = random.uniform(0, min(LONGEST_WAIT, 0.5 * 2.0 ** min(tries, 10)))  # noqa: S311
            wait = max(wait, min(error.after or 0.0, 10 * LONGEST_WAIT))
        tries += 1
        end = time.monotonic() + wait
        while (left := end - time.monotonic()) > 0:
            if give_up():
                return None
            time.sleep(min(0.2, left))
        if give_up():
            return None


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None  # an HTTP date: our own wait will do


def _object(data: bytes, status: int) -> dict[str, Any]:
    try:
        told = json.loads(data) if data else {}
    except ValueError as error:
        if 200 <= status < 300:  # a proxy's page instead of an answer
            raise Unreachable("the answer is no JSON") from error
        return {}
    return told if isinstance(told, dict) else {"items": told}


def _save(blocks: Iterator[bytes], target: Path, size: int | None) -> int:
    kept = 0
    with target.open("wb") as file:
        for block in blocks:
            kept += len(block)
            if size is not None and kept > size:
                raise ValueError(f"more than the {size} bytes that were announced")
            file.write(block)
    return kept
