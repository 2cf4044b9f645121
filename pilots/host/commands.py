"""The commands of `kernodeck` that work on folders and on the site; each answers with the exit code."""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pilots.host import diagnostic, local, screen
from pilots.host.journal import Teller
from pilots.host.launch import Halt
from pilots.host.runner import cache_folder
from pilots.spec import archive, preflight
from pilots.spec.config import ConfigError, load
from pilots.spec.expected import ExpectedError

if TYPE_CHECKING:
    from pilots.host.calls import Site

HOLDS: Final = 0
FAILS: Final = 1
WRONG: Final = 2
Command = Callable[[argparse.Namespace], int]


def nothing(want: argparse.Namespace) -> int:
    return WRONG


def check(want: argparse.Namespace) -> int:
    if not want.folder.exists():
        return _wrong(f"{want.folder} is not there.")
    findings = preflight.check(want.folder)
    stops = preflight.stops(findings)
    if want.json:
        keys = ("code", "level", "path", "line", "message")
        rows = [{key: getattr(finding, key) for key in keys} for finding in findings]
        screen.tell({"holds": not stops, "findings": rows})
    else:
        for finding in findings:
            screen.say(str(finding))
        errors = sum(finding.level == "error" for finding in findings)
        screen.say(f"{errors} errors, {len(findings) - errors} other findings. {'Not ready.' if stops else 'Ready.'}")
    return FAILS if stops else HOLDS


def run(want: argparse.Namespace) -> int:
    if not want.folder.is_dir():
        return _wrong(f"{want.folder} is not a folder.")
    with _halting() as halt:
        try:
            judged = local.run(
                want.folder,
                want.cache or cache_folder(),
                output=want.output,
                resume=want.resume,
                one_item=True if want.one_item else None,
                teller=_teller(want.json),
                halt=halt,
            )
        except (ConfigError, ExpectedError) as error:
            return _does_not(str(error), want.json)
        except (local.NotUsable, OSError) as error:
            return _wrong(str(error))
    return _judged(judged, want.json)


def resume_test(want: argparse.Namespace) -> int:
    if not want.folder.is_dir():
        return _wrong(f"{want.folder} is not a folder.")
    try:
        config = load(want.folder)
    except ConfigError as error:
        return _does_not(str(error), want.json)
    if config.kind != "training" or config.resume is None:
        return _wrong("config/pilote.json asks for no resume test (a training with “resume”).")
    with _halting() as halt:
        try:
            judged = local.run(
                want.folder, want.cache or cache_folder(), output=want.output, teller=_teller(want.json), halt=halt
            )
        except (local.NotUsable, OSError) as error:
            return _wrong(str(error))
    verdict = next(row for row in judged.verdicts if row["code"] == "resume")
    found = {**judged.result, "run": str(judged.folder), "resume": verdict, "holds": verdict["verdict"] == "met"}
    if want.json:
        screen.tell(found)
    else:
        measured = verdict["measured"] or {}
        screen.say(f"\n{judged.result['message']}")
        screen.say(f"largest difference: {measured.get('largest_difference', '—')}")
        screen.say(f"first difference: {measured.get('first_difference') or 'none'}")
        screen.say("The resumed training equals the uninterrupted one." if found["holds"] else "It does not hold.")
    return HOLDS if found["holds"] else FAILS


def diagnose(want: argparse.Namespace) -> int:
    if want.write:
        diagnostic.write(want.write)
        screen.say(f"Wrote {want.write}: python {want.write} --help")
        return HOLDS
    argv = [sys.executable, diagnostic.__file__, "--json"]
    argv += ["--keep-going"] if want.keep_going else []
    argv += ["--torch-python", want.torch_python, "--need-torch"] if want.torch_python else []
    failed = proved = False
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as ladder:
        for line in ladder.stdout or ():
            rung = json.loads(line)
            failed, proved = failed or rung["verdict"] == "failed", proved or bool(rung["facts"].get("gpu_proved"))
            if want.json:
                sys.stdout.write(line)
            else:
                screen.rung(rung)
    if not want.json:
        screen.say(f"{'A GPU was proved.' if proved else 'No GPU was proved.'} {'' if failed else 'No rung failed.'}")
    return FAILS if failed or ladder.returncode else HOLDS


def sheet(want: argparse.Namespace) -> int:
    try:
        judged = local.read_again(want.folder)
    except (local.NotUsable, OSError) as error:
        return _wrong(str(error))
    return _judged(judged, want.json)


def verify_evidence(want: argparse.Namespace) -> int:
    try:
        key = want.key.read_bytes() if want.key else None
        if not want.evidence.exists():
            raise FileNotFoundError(f"{want.evidence} is not there.")
    except OSError as error:
        return _wrong(str(error))
    from pilots.host.verify import verify  # its libraries would slow down every other command

    found = verify(want.evidence, key)
    if want.json:
        screen.tell(found.as_dict())
        return HOLDS if found.holds else FAILS
    for name in ("changed", "added", "removed"):
        for path in getattr(found, name):
            screen.say(f"{name}: {path}")
    for problem in found.problems:
        screen.say(problem)
    screen.say(f"Re-read from a copy at {found.at}: {found.files} files match.")
    if found.signed_by:
        whose = "the key you gave" if found.key_given else "the key inside; compare its hash, or give --key"
        screen.say(f"Signed with Ed25519 {found.signed_by[:16]}… ({whose}).")
    screen.say("It holds." if found.holds else "It does not hold.")
    return HOLDS if found.holds else FAILS


def pack(want: argparse.Namespace) -> int:
    if not want.folder.is_dir():
        return _wrong(f"{want.folder} is not a folder.")
    target = want.output or Path(f"{want.folder.resolve().name}.zip")
    new = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with new.open("wb") as file:
            digest = archive.pack(want.folder, file)
        new.replace(target)
    except archive.Refused as error:
        return _does_not(str(error), False)
    finally:
        new.unlink(missing_ok=True)
    screen.say(f"{digest}  {target}")
    return HOLDS


def push(want: argparse.Namespace) -> int:
    if not want.folder.is_dir():
        return _wrong(f"{want.folder} is not a folder.")
    return _asking(want, lambda api: _pushed(want, api))


def _pushed(want: argparse.Namespace, api: "Site") -> int:
    from pilots.host import site

    told = site.push(api, want.folder, order=want.order, host=want.host, title=want.title, launch=want.launch)
    if want.json:
        screen.tell(told)
        return HOLDS
    screen.say(f"project {told['project']['id']}  sha256 {told['project']['sha256']}")
    for row in told["project"].get("preflight", []):
        screen.say(f"  {row['level']}: {row['path']}: {row['message']}")
    for kind in ("pilot", "run"):
        if kind in told:
            screen.say(f"{kind} {told[kind]['id']}")
    return HOLDS


def status(want: argparse.Namespace) -> int:
    def act(api: "Site") -> int:
        from pilots.host import site

        told = site.wait(api, want.identity) if want.wait else site.run(api, want.identity)
        if want.json:
            screen.tell(told)
        else:
            ended = f", {told['outcome']} ({told.get('reason')})" if told.get("outcome") else ""
            screen.say(f"{told.get('stage')}{ended}  {json.dumps(told.get('counts'))}")
        return HOLDS if told.get("outcome") in (None, "", "completed") else FAILS

    return _asking(want, act)


def fetch(want: argparse.Namespace) -> int:
    target = want.output or Path(f"evidence-{want.identity}.zip")

    def act(api: "Site") -> int:
        from pilots.host import site

        screen.say(f"{target}: {site.fetch(api, want.identity, target)} bytes. Now: kernodeck verify {target}")
        return HOLDS

    return _asking(want, act)


def _asking(want: argparse.Namespace, act: Callable[["Site"], int]) -> int:
    from pilots.host import site
    from pilots.host.calls import Unreachable

    try:
        token = want.token_file.read_text().strip() if want.token_file else os.environ.get("KERNODECK_TOKEN", "")
    except OSError as error:
        return _wrong(str(error))
    if not want.url or not token:
        return _wrong("Give the site and a token: KERNODECK_URL and KERNODECK_TOKEN, or --url and --token-file.")
    try:
        return act(site.api(want.url, token))
    except (site.SaidNo, Unreachable) as error:
        return _does_not(str(error), False)


def _teller(silent: bool) -> Teller | None:
    return None if silent else screen.event


@contextmanager
def _halting() -> Iterator[Halt]:
    """Ctrl-C and TERM end the program as a cancel would, and the run is still judged."""
    halt = Halt()
    before = {
        number: signal.signal(number, lambda *_: halt.say("interrupted")) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield halt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _judged(judged: local.Judged, as_json: bool) -> int:
    (screen.tell if as_json else screen.judged)(judged.as_dict())
    return HOLDS if judged.holds else FAILS


def _wrong(text: str) -> int:
    screen.complain(text)
    return WRONG


def _does_not(text: str, as_json: bool) -> int:
    if as_json:
        screen.tell({"holds": False, "error": text})
    else:
        screen.complain(text)
    return FAILS
