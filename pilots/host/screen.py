"""What the command line shows: a run as it goes, its sheet, its verdicts, in plain English."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

MOST: Final = 20  # ids in one line of text; JSON has them all


def say(text: str = "") -> None:
    sys.stdout.write(plain(text) + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    sys.stderr.write(f"kernodeck: {plain(text)}\n")


def tell(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def plain(text: str) -> str:
    """Controls made visible: results and logs are a program's words, and a terminal would obey them."""
    return "".join(letter if letter in "\n\t" or letter.isprintable() else repr(letter)[1:-1] for letter in text)


def event(told: Mapping[str, Any]) -> None:
    """An event of the journal as one line."""
    at = str(told["at"])[11:19]
    if told["kind"] == "stage":
        say(f"{at}  {told['stage']:<12} {_facts(told, ('at', 'kind', 'stage', 'command'))}".rstrip())
    elif told["kind"] == "note" and told["code"] != "measured":
        say(f"{at}    {told['code']}: {_facts(told, ('at', 'kind', 'stage', 'code'))}")
    elif told["kind"] == "first_error":
        place = f"{told['file']}:{told['line']}" if told["line"] else told["file"]
        say(f"{at}  first error at stage {told['stage']}, {place}")
        for number, line in told["context"] or [(told["line"] or "", told["text"])]:
            say(f"      {'>' if number == told['line'] else ' '} {number:>6}  {line}")


def judged(told: Mapping[str, Any]) -> None:
    """A run's end, its sheet and its verdicts."""
    fault = f", fault: {told['fault']}" if told["fault"] else ""
    say(f"\n{told['outcome']}: {told['message']} [{told['reason']}{fault}]")
    if told["sheet"] is not None:
        sheet(told["sheet"])
    for row in told["verdicts"]:
        measured = "—" if row["measured"] is None else _short(row["measured"])
        say(f"  {row['verdict']:<13} {row['code']:<18} fixed {_short(row['fixed'])}, measured {measured}")
    say(f"{'It holds.' if told['holds'] else 'It does not hold.'}  Run: {told['run']}")


def sheet(told: Mapping[str, Any]) -> None:
    missing = len(told["missing"])
    say(
        f"{told['declared']} declared = {told['accepted']} accepted + {told['refused']} refused"
        + (f" + {missing} missing" if missing else "")
    )
    for key in ("missing", "duplicated", "invented", "bad_category", "without_reason", "must_refuse_accepted"):
        if told[key]:
            say(f"  {key.replace('_', ' ')}: {_ids(told[key])}")
    if told["malformed_lines"]:
        say(f"  malformed lines: {_ids(map(str, told['malformed_lines']))}")


def rung(told: Mapping[str, Any]) -> None:
    facts = told["facts"]
    words = facts.get("error") or facts.get("note") or told["proves"]
    say(f"{told['rung']:>2} {told['name']:<12} {told['verdict']:<15} {told['seconds']:>7.2f} s  {words}")
    if told["verdict"] == "failed":
        say(f"      next: {told['next']}")


def _ids(ids: Iterable[str]) -> str:
    listed = list(ids)
    more = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return ", ".join(listed[:MOST]) + more


def _facts(told: Mapping[str, Any], without: Sequence[str]) -> str:
    return ", ".join(
        f"{key} {_short(value)}" for key, value in told.items() if key not in without and value is not None
    )


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
