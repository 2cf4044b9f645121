"""The commands that make a machine a host: `kernodeck host enrol|start|status`."""

import argparse
import json
import logging
import sys

from pilots.host import screen
from pilots.host.calls import Unreachable
from pilots.host.state import NotEnrolled, State


def enrol(want: argparse.Namespace) -> int:
    from pilots.host import agent

    token = sys.stdin.readline().strip() if want.token_stdin else want.token
    more = {"torch_python": want.torch_python} if want.torch_python else {}
    try:
        name = agent.enrol(want.url, token, State(want.state.absolute()), want.name, **more)
    except (ValueError, Unreachable, OSError) as error:
        screen.complain(str(error))
        return 1
    screen.say(f"Enrolled as {name}. Now: kernodeck host start --state {want.state}")
    return 0


def start(want: argparse.Namespace) -> int:
    from pilots.host import agent

    agent.start_clean(["host", "start", "--state", str(want.state), "--on-stop", want.on_stop])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    try:
        return agent.Agent(State(want.state.absolute()), want.on_stop).run()
    except (NotEnrolled, OSError) as error:
        screen.complain(str(error))
        return 2


def status(want: argparse.Namespace) -> int:
    from pilots.host import agent

    state = State(want.state.absolute())
    try:
        told = state.read()
        with state.alone() as alone:
            told["agent"] = "stopped" if alone else "running"
        told["run"] = agent.held_by(state)
    except (NotEnrolled, OSError) as error:
        screen.complain(str(error))
        return 2
    try:
        told["last"] = json.loads((state.folder / "status.json").read_text())
    except (OSError, ValueError):
        told["last"] = {}
    if want.json:
        screen.tell(told)
    else:
        last = told["last"]
        screen.say(f"{told['host']} at {told['url']}: {told['agent']}, last hello {last.get('hello_at', 'never')}")
        if last.get("trouble"):
            screen.say(f"trouble: {last['trouble']}")
        held = told["run"]
        screen.say(
            "slot: free" if held is None else f"slot: run {held.get('run', '?')}, attempt {held.get('attempt', '?')}"
        )
    return 0 if told["agent"] == "running" else 1
