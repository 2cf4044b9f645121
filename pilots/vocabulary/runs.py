"""A run in words: where it is, why it ended, whose fault that was, and what a person said of it."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Word(NamedTuple):
    """A code's short word and the sentence that says what it means."""

    word: Text
    sentence: Text


STAGES: dict[str, Word] = {
    "queued": Word(_("queued"), _("It waits until its host has a free slot.")),
    "claimed": Word(_("claimed"), _("The host has taken it and nobody else can.")),
    "fetched": Word(_("fetched"), _("The host has the archive, and its hash is the frozen one.")),
    "unpacked": Word(_("unpacked"), _("The archive was checked and unpacked into an empty folder.")),
    "interpreter": Word(_("interpreter"), _("The interpreter of the preparation was found.")),
    "environment": Word(_("environment"), _("The pinned packages are being installed.")),
    "diagnostic": Word(_("diagnostic"), _("The host is being checked, rung by rung.")),
    "launched": Word(_("launched"), _("The program was started in its own process group.")),
    "processing": Word(_("processing"), _("The program works; its results are shipped as it writes them.")),
    "collecting": Word(_("collecting"), _("The program has ended; the last pieces are on their way.")),
    "verified": Word(_("verified"), _("Another process re-read our own copy, and it equals the host's.")),
}

OUTCOMES: dict[str, Word] = {
    "completed": Word(_("completed"), _("The program ended by itself and everything arrived.")),
    "failed": Word(_("failed"), _("It stopped on an error.")),
    "cancelled": Word(_("cancelled"), _("It was stopped on request.")),
    "lost": Word(_("lost"), _("The host went silent and did not come back in time.")),
    "refused": Word(_("refused"), _("The host would not start it, and says why.")),
}

FAULTS: dict[str, Text] = {
    "project": _("The fault lies in the project."),
    "host": _("The fault lies with the host."),
    "platform": _("The fault is ours."),
}

REASONS: dict[str, Text] = {}

# Decision → what it does, and what it prefills.
CHOICES: dict[str, Word] = {
    "launch": Word(_("Launch the volume"), _("The pilot is good enough to trust it with the full volume.")),
    "fix": Word(_("Fix the environment"), _("The same spec is tried again on a repaired machine.")),
    "revise": Word(_("Revise the configuration"), _("Another card, more memory or another preparation is needed.")),
}

REVIEWS: dict[str, Text] = {"right": _("right"), "wrong": _("wrong"), "unsure": _("unsure")}

SANDBOXES: dict[str, Text] = {
    "bubblewrap": _("shut in by bubblewrap: no network, no other process, only its own folders"),
    "user": _("run as another user of the machine"),
    "process": _("run in its own process group, as the agent's user, with a clean environment"),
}


def stage(code: str) -> Word:
    return STAGES.get(code, Word(code, ""))


def outcome(code: str) -> Word:
    return OUTCOMES.get(code, Word(code, ""))


def fault(code: str | None) -> Text:
    return FAULTS.get(code or "", "")


def reason(code: str) -> Text:
    return REASONS.get(code, code)


def choice(code: str) -> Word:
    return CHOICES.get(code, Word(code, ""))


def review(code: str) -> Text:
    return REVIEWS.get(code, code)


def sandbox(code: str) -> Text:
    return SANDBOXES.get(code, code)
