"""Ships the files of a run by offset: the site says what it holds, and that is where the next range begins."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar, cast

from pilots.host.calls import Answer, Site, Unreachable, insist
from pilots.host.collecting import file_facts
from pilots.host.folders import Folders, open_plain
from pilots.host.launch import Halt
from pilots.host.runner import Result
from pilots.host.wire import Claim, Manifest, ReportAnswer

T = TypeVar("T")
RANGE_BYTES: Final = 256 * 1024
# A backlog is shipped in larger pieces: after an outage, or a program that writes faster than we report.
LARGE_RANGE_BYTES: Final = 4 * 1024 * 1024
_LOOK_SECONDS: Final = 0.1


class Stale(Exception):
    """The site has ended this attempt or given it to another."""


@dataclass
class Shipper:
    """One thread that reports and ships while the run goes on; `finish` sends the rest and the hashes."""

    site: Site  # opened by the run's own key
    claim: Claim
    folders: Folders
    halt: Halt
    give_up: threading.Event = field(default_factory=threading.Event)
    trouble: str = ""

    def __post_init__(self) -> None:
        self._held: dict[str, int] = dict(self.claim["held"])
        self._full: set[str] = set()
        self._over = threading.Event()
        self._gone = False
        self._every = self.claim["report_seconds"]
        self._thread = threading.Thread(target=self._go, name="shipping", daemon=True)

    @property
    def stale(self) -> bool:
        return self._gone

    def start(self) -> None:
        self._thread.start()

    def finish(self, result: Result) -> bool:
        """Everything that is left, then the end. Whether the site took it; False when it wants no more of this run."""
        self._over.set()
        self._thread.join()
        try:
            self._end(result)
        except Stale:
            return False
        return not self.give_up.is_set()

    def _go(self) -> None:
        try:
            while not self._over.is_set():
                self._insist_while_it_runs(self._report)
                self._ship_all(self._insist_while_it_runs)
                self._wait()
        except Stale:
            self._gone = True
            self.halt.say("stale")

    def _wait(self) -> None:
        """Until the next report is due or enough has been written to be worth one."""
        due = time.monotonic() + self._every
        while not self._over.is_set() and time.monotonic() < due:
            sizes = self.folders.sizes()
            if sum(sizes.values()) - sum(self._held.get(name, 0) for name in sizes) >= RANGE_BYTES:
                return
            self._over.wait(_LOOK_SECONDS)

    def _report(self) -> None:
        answer = self._checked(
            self.site.call("POST", self._path("report"), {**self._who(), "sizes": self.folders.sizes()})
        )
        told = cast(ReportAnswer, answer.body)
        self._every = max(0.1, float(told.get("report_seconds", self._every)))
        self._held.update(told.get("held", {}))
        if told.get("cancel"):
            self.halt.say("cancelled_by_customer")

    def _ship_all(self, insisting: Callable[[Callable[[], None]], None]) -> None:
        for name, size in self.folders.sizes().items():
            while self._held.get(name, 0) < size and name not in self._full:
                before = self._held.get(name, 0)
                insisting(partial(self._ship, name, size))
                if self.give_up.is_set() or (self._over.is_set() and self._held.get(name, 0) == before):
                    return

    def _ship(self, name: str, size: int) -> None:
        """One range from where the site is. A repeat is ignored there, a gap is answered with what it holds."""
        offset = self._held.get(name, 0)
        length = min(size - offset, LARGE_RANGE_BYTES if size - offset > 4 * RANGE_BYTES else RANGE_BYTES)
        try:
            with open_plain(self.folders.file(name)) as file:
                file.seek(offset)
                data = file.read(length)
        except OSError:
            data = b""
        if not data:  # the program took back what it had written; what was shipped stays
            self._full.add(name)
            return
        query = {**self._who(), "offset": offset}
        answer = self.site.call("POST", self._path(f"files/{name}"), data, query=query)
        if answer.status == 413:
            self._full.add(name)
        held = self._checked(answer, also=(413,)).body.get("held")
        if isinstance(held, int):
            self._held[name] = held
        elif not answer.ok:
            raise Unreachable(f"{name} was refused: {answer.detail}")
        else:
            self._held[name] = offset + len(data)

    def _end(self, result: Result) -> None:
        while not self.give_up.is_set():
            self._ship_all(self._insist)
            sizes = self.folders.sizes()
            shipped = {name: min(size, self._held.get(name, 0)) for name, size in sizes.items()}
            manifest: Manifest = {
                "attempt": self.claim["attempt"],
                "claim": self.claim["claim"],
                "outcome": result.outcome,
                "reason": result.reason,
                "fault": result.fault,
                "exit_code": result.exit_code,
                "files": file_facts(self.folders, shipped),
            }
            answer = self._insist(partial(self.site.call, "POST", self._path("finish"), manifest))
            if answer is None or answer.ok:
                return
            self._checked(answer)
            held = answer.body.get("held")
            if not isinstance(held, dict):
                self.trouble = answer.detail
                raise Stale
            self._held.update(held)
            time.sleep(_LOOK_SECONDS)

    def _checked(self, answer: Answer, also: tuple[int, ...] = ()) -> Answer:
        if answer.over:
            self.trouble = answer.detail
            raise Stale
        if answer.status in (400, 408, 411) and answer.code.startswith(("range_", "length_")):
            raise Unreachable(answer.detail)  # cut on its way: sent again
        if not answer.ok and answer.status != 409 and answer.status not in also:
            # A refusal that no repetition will change would be repeated for ever: it ends the attempt instead.
            self.trouble = f"{answer.status} {answer.detail}"
            raise Stale
        return answer

    def _insist(self, act: Callable[[], T]) -> T | None:
        return insist(act, give_up=self.give_up.is_set, told=self._note)

    def _insist_while_it_runs(self, act: Callable[[], T]) -> T | None:
        """Given up at the run's end too: `finish` then insists in its own way."""
        return insist(act, give_up=lambda: self._over.is_set() or self.give_up.is_set(), told=self._note)

    def _note(self, trouble: str) -> None:
        self.trouble = trouble

    def _who(self) -> dict[str, object]:
        return {"attempt": self.claim["attempt"], "claim": self.claim["claim"]}

    def _path(self, rest: str) -> str:
        return f"runs/{self.claim['run']}/{rest}"
