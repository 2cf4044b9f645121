"""One run on this host: claims it, carries it out, ships it, and holds the slot's lock until all is told.

A process of its own, started by the worker's task and detached from it: worker and agent may be killed or replaced
while it goes on. When it dies itself, its guardian's lifeline breaks, the program dies, and the kernel frees the lock.
"""

import argparse
import hashlib
import json
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pilots.host import sandbox
from pilots.host.calls import Answer, Site, insist
from pilots.host.folders import Folders
from pilots.host.journal import Journal
from pilots.host.launch import Halt
from pilots.host.runner import Ends, Result, Try
from pilots.host.shipping import Shipper
from pilots.host.state import State
from pilots.host.wire import Claim
from pilots.spec import archive, config, frozen
from pilots.spec.reasons import reason

log = logging.getLogger("kernodeck.supervisor")
CLAIM_SECONDS = 120.0  # then the slot is given back; the dispatcher offers again
INTERRUPTED_SECONDS = 8.0  # to tell the site of an end that the machine's operator asked for
KEPT_RUNS = 50  # folders of runs that the site has taken whole
KEPT_ENVIRONMENTS = 12


@dataclass
class Supervisor:
    state: State
    run: str
    attempt: int
    halt: Halt = field(default_factory=Halt)
    give_up: threading.Event = field(default_factory=threading.Event)

    def carry_out(self) -> int:
        site = Site(self.state.read()["url"], self.state.secret("token"))
        claim = self._claim(site)
        if claim is None:
            return 0
        folders = Folders(self.state.runs / f"{self.run}-{self.attempt}-{claim['claim'][:8]}")
        site = site.with_token(claim["run_key"])
        settings, problems = config.check(json.dumps(claim["spec"]["config"]).encode())
        if frozen.sha(claim["spec"]) != claim["spec_sha256"] or settings is None:
            return self._refuse(
                site, claim, folders, "config_invalid" if settings is None else "spec_mismatch", problems
            )
        attempt = Try(
            folders,
            claim["spec"],
            settings,
            self.state.cache / "environments",
            remaining=claim["remaining"],
            env=claim["env"],
            halt=self.halt,
        )
        shipper = Shipper(site, claim, folders, self.halt, self.give_up)
        shipper.start()
        result = attempt.carry_out(lambda attempt: self._bring(attempt, site, claim))
        log.info("%s: %s %s %s", self.run, result.outcome, result.reason, result.message)
        return self._tell(shipper, result, folders)

    def _claim(self, site: Site) -> Claim | None:
        body = {"run": self.run, "attempt": self.attempt, "claim": uuid.uuid4().hex}
        until = time.monotonic() + CLAIM_SECONDS
        answer: Answer | None = insist(
            lambda: site.call("POST", "claim", body),
            give_up=lambda: time.monotonic() > until or bool(self.halt),
            told=log.warning,
        )
        if answer is None or not answer.ok:
            log.info("%s/%s not claimed: %s", self.run, self.attempt, answer.detail if answer else "no answer")
            return None
        return cast(Claim, answer.body)

    def _bring(self, attempt: Try, site: Site, claim: Claim) -> None:
        attempt.journal.stage("claimed", attempt=self.attempt, try_number=claim["try_number"])
        packed = attempt.folders.root / "archive"
        self._fetch(site, claim, packed)
        attempt.journal.stage("fetched", size=claim["archive_size"], sha256=claim["archive_sha256"])
        try:
            content = archive.unpack(packed, attempt.folders.project)
        except archive.Refused as error:
            raise Ends("archive_refused", str(error)) from error
        params = attempt.folders.project / config.FILE
        if json.loads(params.read_bytes()) != claim["spec"]["config"]:
            params.write_text(json.dumps(claim["spec"]["config"], ensure_ascii=False, indent=2), encoding="utf-8")
        packed.unlink()
        attempt.journal.stage("unpacked", files=len(content.files), bytes=content.total)

    def _fetch(self, site: Site, claim: Claim, target: Path) -> None:
        for _ in range(3):
            try:
                insist(
                    lambda: site.download(f"runs/{self.run}/archive", target, claim["archive_size"]),
                    give_up=lambda: bool(self.halt),
                    told=log.warning,
                )
            except ValueError as error:
                raise Ends("archive_unavailable", str(error)) from error
            if self.halt:
                raise Ends(self.halt.reason)
            with target.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == claim["archive_sha256"]:
                    return
        raise Ends("archive_damaged")

    def _refuse(self, site: Site, claim: Claim, folders: Folders, code: str, problems: list[Any]) -> int:
        folders.make()
        known, message = reason(code), "; ".join(map(str, problems))
        journal = Journal(folders.report / "events.jsonl")
        journal.stage("claimed", attempt=self.attempt)
        journal.end(known.outcome, code, known.fault, None, message=message[:2000])
        shipper = Shipper(site, claim, folders, self.halt, self.give_up)
        shipper.start()
        return self._tell(shipper, Result(known.outcome, code, known.fault, None, message, {}, None), folders)

    def _tell(self, shipper: Shipper, result: Result, folders: Folders) -> int:
        if self.halt.reason == "interrupted":
            timer = threading.Timer(INTERRUPTED_SECONDS, self.give_up.set)
            timer.daemon = True
            timer.start()
        taken = not shipper.stale and shipper.finish(result)
        log.info("%s: %s", self.run, "taken by the site" if taken else f"not taken: {shipper.trouble}")
        if taken:
            self.state.write_in(folders.root, "shipped.json", {"outcome": result.outcome, "reason": result.reason})
            for name in ("project", "work", "one", "resumed"):
                shutil.rmtree(folders.root / name, ignore_errors=True)
        prune(self.state.runs, "shipped.json", KEPT_RUNS)
        prune(self.state.cache / "environments", "whole.json", KEPT_ENVIRONMENTS)
        return 0 if taken else 1

    def interrupt(self) -> None:
        """The machine's operator stops the agent and what it runs."""
        self.halt.say("interrupted")
        timer = threading.Timer(2 * INTERRUPTED_SECONDS, self.give_up.set)
        timer.daemon = True
        timer.start()


def prune(folder: Path, mark: str, keep: int) -> None:
    """Keeps the newest folders by their mark; one without it (a run not taken, an environment in the making) stays."""
    marked = sorted(folder.glob(f"*/{mark}"), key=lambda path: path.stat().st_mtime)
    for path in marked[:-keep]:
        shutil.rmtree(path.parent, ignore_errors=True)


def wait_for_run(line: int) -> dict[str, Any] | None:
    """What to run, with the slot's lock beside it; None when whoever started this process is gone."""
    with socket.socket(fileno=line) as waiting:
        told, locks, _, _ = socket.recv_fds(waiting, 4096, 1)
    # The descriptor is the lock: it stays open, and unnamed, as long as this process lives.
    return json.loads(told) if told and locks else None


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--line", type=int, required=True, help="a socket that hands over the run and the slot's lock")
    want = parser.parse_args(argv)
    state = State(want.state)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sandbox.kind()  # tried while there is time
    told = wait_for_run(want.line)
    if told is None:
        return 0
    words = os.open(
        state.folder / "logs" / f"{told['run']}-{told['attempt']}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND
    )
    for stream in (1, 2):
        os.dup2(words, stream)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    supervisor = Supervisor(state, told["run"], told["attempt"])
    signal.signal(signal.SIGTERM, lambda *_: supervisor.interrupt())
    state.write_in(state.folder / "slots", f"{told['slot']}.json", {"pid": os.getpid(), **told})
    try:
        return supervisor.carry_out()
    except Exception:
        log.exception("%s", told["run"])
        return 1


if __name__ == "__main__":
    sys.exit(main())
