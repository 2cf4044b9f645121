"""`kernodeck`: the command line of a pilot. Exit codes: 0 holds, 1 does not hold, 2 wrong use."""

import argparse
import os
import sys
from pathlib import Path

from pilots.host import commands, host_commands


def parser() -> argparse.ArgumentParser:
    make = argparse.ArgumentParser(
        prog="kernodeck",
        description="Prove a pilot on a machine: check a project folder, run it, read its sheet, verify its evidence.",
        epilog="Exit codes: 0 it holds, 1 it does not hold, 2 wrong use.",
    )
    acts = make.add_subparsers(dest="act", metavar="COMMAND", required=True)

    def act(name: str, run: commands.Command, text: str, *, json: bool = False) -> argparse.ArgumentParser:
        made = acts.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        if json:
            made.add_argument("--json", action="store_true", help="one JSON object instead of text")
        return made

    check = act("check", commands.check, "the preflight of a project folder or archive", json=True)
    check.add_argument("folder", type=Path, metavar="FOLDER")

    run = act("run", commands.run, "the whole pilot on this machine, as a host would run it", json=True)
    run.add_argument("folder", type=Path, metavar="FOLDER")
    run.add_argument("--output", type=Path, metavar="DIR", help="a new folder for this run (FOLDER/runs/TIME)")
    run.add_argument("--resume", type=Path, metavar="RUN", help="finish only what this earlier run left")
    run.add_argument("--one-item", action="store_true", help="try the shortest and the longest input first")
    run.add_argument("--cache", type=Path, metavar="DIR", help="where environments are kept (~/.cache/kernodeck)")

    diagnose = act("diagnose", commands.diagnose, "the diagnostic ladder of this machine", json=True)
    diagnose.add_argument("--keep-going", action="store_true", help="go on after a failed rung")
    diagnose.add_argument("--torch-python", metavar="PATH", help="interpreter of the environment to judge")
    diagnose.add_argument("--write", type=Path, metavar="FILE", help="write the one-file diagnostic and stop")

    sheet = act("sheet", commands.sheet, "the balance sheet of a run folder, computed anew", json=True)
    sheet.add_argument("folder", type=Path, metavar="RUN")

    resume = act("resume-test", commands.resume_test, "a training once through, and once interrupted", json=True)
    resume.add_argument("folder", type=Path, metavar="FOLDER")
    resume.add_argument("--output", type=Path, metavar="DIR", help="a new folder for the test")
    resume.add_argument("--cache", type=Path, metavar="DIR", help="where environments are kept")

    verify = act("verify", commands.verify_evidence, "evidence re-read from a copy: contents and signature", json=True)
    verify.add_argument("evidence", type=Path, metavar="EVIDENCE", help="a zip, or the folder it was unpacked into")
    verify.add_argument("--key", type=Path, metavar="PEM", help="the site's public key")

    pack = act("pack", commands.pack, "a project folder as one archive, the same bytes for the same content")
    pack.add_argument("folder", type=Path, metavar="FOLDER")
    pack.add_argument("--output", type=Path, metavar="FILE", help="the archive (FOLDER.zip)")

    push = act("push", commands.push, "upload a project folder to the site", json=True)
    push.add_argument("folder", type=Path, metavar="FOLDER")
    push.add_argument("--order", default="", metavar="CODE", help="make a pilot of it on this order's machine")
    push.add_argument("--host", default="", metavar="NAME", help="make a pilot of it on this host")
    push.add_argument("--title", default="", help="the pilot's title (the folder's name)")
    push.add_argument("--launch", action="store_true", help="start a run at once")
    status = act("status", commands.status, "where a run on the site is", json=True)
    status.add_argument("identity", metavar="RUN")
    status.add_argument("--wait", action="store_true", help="until it is over")
    fetch = act("fetch", commands.fetch, "the evidence of a run on the site")
    fetch.add_argument("identity", metavar="RUN")
    fetch.add_argument("--output", type=Path, metavar="FILE", help="the file (evidence-RUN.zip)")
    for made in (push, status, fetch):
        made.add_argument("--url", default=os.environ.get("KERNODECK_URL", ""), help="the site (KERNODECK_URL)")
        made.add_argument("--token-file", type=Path, help="a file with an API token (or KERNODECK_TOKEN)")

    _host(act("host", commands.nothing, "this machine as a host of the site"))
    return make


def _host(made: argparse.ArgumentParser) -> None:
    acts = made.add_subparsers(dest="host_act", metavar="COMMAND", required=True)

    def act(name: str, run: commands.Command, text: str) -> argparse.ArgumentParser:
        sub = acts.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        sub.add_argument("--state", type=Path, required=True, metavar="DIR", help="the agent's own folder")
        return sub

    enrol = act("enrol", host_commands.enrol, "become a host with a one-time word")
    enrol.add_argument("--url", required=True, help="the site")
    word = enrol.add_mutually_exclusive_group(required=True)
    word.add_argument("--token", help="the word (seen by other users of this machine; prefer --token-stdin)")
    word.add_argument("--token-stdin", action="store_true", help="read the word from standard input")
    enrol.add_argument("--name", default="", help="the host's name, when the word does not fix it")
    enrol.add_argument("--torch-python", metavar="PATH", help="interpreter with torch that the ladder uses")
    start = act("start", host_commands.start, "start the agent: hello, diagnostic, worker")
    start.add_argument(
        "--on-stop",
        choices=["leave", "end"],
        default="leave",
        help="when the agent is stopped: leave a run going (a new agent finds it), or end it too",
    )
    status = act("status", host_commands.status, "what the agent says of itself")
    status.add_argument("--json", action="store_true")


def main(argv: list[str] | None = None) -> int:
    want = parser().parse_args(argv)
    try:
        code: int = want.run(want)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
