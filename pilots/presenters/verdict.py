"""What is so now with a run: one shape, one sentence, what is not yet true and what to do next."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common import formats
from pilots import vocabulary
from pilots.models import Run
from pilots.presenters import problems
from pilots.presenters.problems import Problem
from pilots.presenters.text import visible

Text = str | Promise
NOT_STARTED = ("queued", "claimed", "fetched", "unpacked", "interpreter", "environment", "diagnostic")


@dataclass(frozen=True)
class State:
    """`word` is short, for tables and titles; `said` changes only when a listener should be told."""

    shape: str
    word: Text
    heading: Text
    paragraphs: list[Text] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    said: Text = ""
    is_over: bool = False
    holds: bool | None = None


def problems_of(run: Run, kind: str) -> list[Problem]:
    """Everything that keeps a verified run from holding, gravest first."""
    found = problems.of_sheet(run.sheet) if kind == "documents" else []
    return found + problems.of_verdicts(run.verdicts, vocabulary.CRITERIA)


def short(run: Run) -> tuple[str, Text]:
    """The shape and the word of a run in a list, without its sheet."""
    if not run.outcome:
        if run.is_silent:
            return "late", _("silent")
        return ("told" if run.stage == "queued" else "seen"), vocabulary.stage(run.stage).word
    if run.checked_at is None:
        return "seen", _("being verified")
    if run.verification_error == "copy_differs":
        return "stopped", _("not verified")
    if run.holds:
        return ("confirmed", _("holds")) if run.verified_at else ("seen", _("not verified"))
    if run.outcome == "completed" or run.accepted + run.refused:
        return "stopped", _("does not hold")
    return "stopped", vocabulary.outcome(run.outcome).word


def state(run: Run, kind: str, now: datetime) -> State:
    if not run.outcome:
        return _silent(run, now) if run.is_silent else _running(run, kind)
    if run.checked_at is None:
        return _unverified(run)
    if run.verification_error == "copy_differs":
        return _differs(run)
    if run.holds:
        return _holds(run) if run.verified_at else _unannounced(run)
    return _does_not_hold(run, kind)


def counted(run: Run) -> int:
    return run.accepted + run.refused


def quarter(run: Run) -> int:
    """Progress in the steps that are announced: 0, 25, 50, 75, 100."""
    return counted(run) * 4 // run.declared * 25 if run.declared else 0


def _progress(run: Run, kind: str) -> str:
    if kind == "training":
        return ngettext("%(n)s step reported", "%(n)s steps reported", run.steps) % {"n": formats.number(run.steps)}
    return ngettext(
        "%(done)s of %(n)s id has a line", "%(done)s of %(n)s ids have a line", run.declared
    ) % {"done": formats.number(counted(run)), "n": formats.number(run.declared)}  # fmt: skip


def _running(run: Run, kind: str) -> State:
    word = vocabulary.stage(run.stage)
    if run.stage == "queued":
        waits = _("Nothing was started yet. The host takes it by itself as soon as it has a free slot.")
        silent = [_("The host has not been heard lately: it may be switched off.")] if run.host.is_silent else []
        wait = _("Waiting for the host %(name)s.") % {"name": run.host.name}
        return State("told", word.word, wait, [waits, *silent], said=wait)
    heading: Text = word.sentence
    if run.stage in ("launched", "processing", "collecting"):
        heading = _("At “%(stage)s”: %(progress)s.") % {"stage": word.word, "progress": _progress(run, kind)}
    not_yet = _("Nothing is judged before the run has ended and another process has re-read our own copy.")
    asked = [_("You asked for it to be stopped. The host stops the program and ships what there is.")]
    paragraphs: list[Text] = [*(asked if run.cancel_asked_at else []), not_yet]
    said = f"{word.word} {formats.percent(quarter(run) / 100, 0)}" if quarter(run) else word.word
    return State("seen", word.word, heading, paragraphs, said=said)


def _silent(run: Run, now: datetime) -> State:
    told = run.last_report_at or run.claimed_at or run.queued_at
    heading = _("Silent: the last report came %(ago)s ago.") % {"ago": formats.span(now - told)}
    paragraphs: list[Text] = [
        _("It was at “%(stage)s”, and may still be going on. It comes back by itself if the host does.")
        % {"stage": vocabulary.stage(run.stage).word},
        _("What had arrived is kept. After several missed leases it is tried again, or ended as lost."),
    ]
    return State("late", _("silent"), heading, paragraphs, said=_("The host went silent."))


def _unverified(run: Run) -> State:
    heading = _("It has ended; our copy is being re-read.")
    paragraphs: list[Text] = [
        _("There is no verdict before another process has re-read every byte of our own copy."),
        _how_it_ended(run),
    ]
    return State("seen", _("being verified"), heading, paragraphs, said=heading)


def _differs(run: Run) -> State:
    heading = _("Not verified: our copy does not equal the host's.")
    paragraphs: list[Text] = [
        vocabulary.reason(run.verification_error),
        _("No decision should rest on this run. Try the same spec again."),
    ]
    return State("stopped", _("not verified"), heading, paragraphs, said=heading, is_over=True, holds=False)


def _unannounced(run: Run) -> State:
    """Every criterion is met by what arrived, but the host never said that this is all: no green for it."""
    heading = _("What arrived meets every criterion, but it is not verified.")
    paragraphs: list[Text] = [
        _how_it_ended(run),
        _("The host never announced its own count, so nobody can say that our copy is whole."),
        _("Next: start the next try of the same spec, so that a decision can rest on a verified run."),
    ]
    return State("seen", _("not verified"), heading, paragraphs, said=heading, is_over=True, holds=None)


def _holds(run: Run) -> State:
    heading = _("Try %(n)s holds on every criterion fixed before it.") % {"n": formats.number(run.number)}
    verified = _("Verified %(at)s, re-read from our own copy.") % {
        "at": formats.when(run.verified_at) if run.verified_at else ""
    }
    paragraphs: list[Text] = [verified]
    if run.exit_code:
        paragraphs.append(
            _("But the program ended with code %(code)s after its last line: look at the first error.")
            % {"code": run.exit_code}
        )
    paragraphs.append(_("Next: look at some results beside their inputs, then decide."))
    return State("confirmed", _("holds"), heading, paragraphs, said=heading, is_over=True, holds=True)


def _does_not_hold(run: Run, kind: str) -> State:
    found = problems_of(run, kind)
    nothing = not counted(run) and run.outcome != "completed"
    if nothing or not found:
        return _stopped(run)
    heading = visible(problems.sentence(found[0], len(found) - 1))
    paragraphs: list[Text] = [_how_it_ended(run)]
    # A program that broke off left the rest undone: its first error says more than what the sheet lacks.
    paragraphs.append(_next_by_fault(run) or found[0].next)
    return State(
        "stopped", _("does not hold"), heading, paragraphs, found, said=heading, is_over=True, holds=False
    )  # fmt: skip


def _stopped(run: Run) -> State:
    """It ended before any result: the stage and the reason say more than twelve missing ids."""
    word, stage = vocabulary.outcome(run.outcome), vocabulary.stage(run.reached).word
    headings = {
        "refused": _("Refused before it started: %(reason)s"),
        "lost": _("Lost at “%(stage)s”: %(reason)s"),
        "cancelled": _("Cancelled at “%(stage)s”: %(reason)s"),
    }
    template = headings.get(run.outcome, _("Failed at “%(stage)s”: %(reason)s"))
    heading = template % {"stage": stage, "reason": vocabulary.reason(run.reason)}
    paragraphs: list[Text] = [
        _("The program wrote no result, so the pilot does not hold."),
        vocabulary.fault(run.fault),
    ]
    paragraphs.append(_next_by_fault(run))
    shown = [text for text in paragraphs if text]
    return State("stopped", word.word, heading, shown, said=heading, is_over=True, holds=False)


def _next_by_fault(run: Run) -> Text:
    if run.fault in ("host", "platform"):
        return _("Next: start the next try of the same spec; nothing in the project needs to change for it.")
    if run.fault == "project":
        return _("Next: look at the first error, correct the project, and upload it as a new version.")
    return ""


def _how_it_ended(run: Run) -> Text:
    """The exit code is told, and told to be no verdict."""
    if run.outcome == "completed":
        return _(
            "The program ended by itself with code %(code)s, but a pilot is judged by the criteria fixed before launch."
        ) % {"code": run.exit_code or 0}
    stage = vocabulary.stage(run.reached).word
    reason = vocabulary.reason(run.reason)
    if run.exit_code is not None:
        return _("The program stopped at “%(stage)s” with code %(code)s. %(reason)s") % {
            "stage": stage,
            "code": run.exit_code,
            "reason": reason,
        }
    return _("It stopped at “%(stage)s”. %(reason)s") % {"stage": stage, "reason": reason}
