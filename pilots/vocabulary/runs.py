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

REASONS: dict[str, Text] = {
    "program_ended": _("The program ran to its end."),
    "archive_refused": _("The project's archive is not safe to unpack."),
    "config_invalid": _("config/pilote.json does not follow its schema."),
    "inputs_changed": _("The inputs are not the ones that were frozen."),
    "backend_mismatch": _("The project asks for another backend than this host has."),
    "requirements_missing": _("requirements-rebuild.txt is missing."),
    "environment_failed": _("The environment could not be built from requirements-rebuild.txt."),
    "extension_failed": _("A declared extension failed in the diagnostic."),
    "program_missing": _("The program named by the command does not exist."),
    "program_failed": _("The program ended with an error."),
    "program_killed": _("A signal ended the program."),
    "program_memory": _("The program used more memory than it was given."),
    "gpu_memory": _("The GPU's memory was not enough for the program."),
    "time_limit": _("The program ran longer than its criteria allow."),
    "output_limit": _("The program wrote more than a file may hold."),
    "process_limit": _("The program started more processes than it may."),
    "resume_failed": _("The resumed program did not run to its end."),
    "interpreter_missing": _("The host has no Python interpreter that fits."),
    "diagnostic_failed": _("A rung of the diagnostic ladder failed."),
    "gpu_lost": _("The GPU stopped answering."),
    "driver_failed": _("The GPU's driver does not fit or does not answer."),
    "host_disk_full": _("The host's disk is full."),
    "host_memory": _("The host itself ran out of memory."),
    "package_index_unreachable": _("The host does not reach the package index."),
    "sandbox_failed": _("The host could not isolate the program."),
    "supervisor_lost": _("The run's supervisor ended, and the program with it."),
    "host_restarted": _("The host was restarted during the run."),
    "agent_failed": _("The host's agent failed."),
    "silent": _("The host stopped reporting and did not come back in time."),
    "never_claimed": _("The host never took the run."),
    "host_revoked": _("The host was taken off the fleet during the run."),
    "archive_damaged": _("The archive that arrived does not have its hash."),
    "archive_unavailable": _("The archive could not be fetched."),
    "spec_mismatch": _("The spec that arrived does not have its hash."),
    "copy_differs": _("Our copy differs from what the host announced."),
    "internal": _("The platform itself failed."),
    "cancelled_by_customer": _("You cancelled it."),
    "cancelled_by_operator": _("An operator cancelled it."),
    "term_ended": _("The rental's term ended."),
    "interrupted": _("It was interrupted on the host."),
}

# Decision → what it does, and what it prefills.
CHOICES: dict[str, Word] = {
    "launch": Word(_("Launch the volume"), _("The pilot is good enough to trust it with the full volume.")),
    "fix": Word(_("Fix the environment"), _("The same spec is tried again on a repaired machine.")),
    "revise": Word(_("Revise the configuration"), _("Another card, more memory or another preparation is needed.")),
}

REVIEWS: dict[str, Text] = {"right": _("right"), "wrong": _("wrong"), "unsure": _("unsure")}

# Lines outside the sheet.
STRAYS: dict[str, Text] = {
    "doubled": _("a further line for an id that already had one"),
    "invented": _("an id that was never declared"),
    "malformed": _("a line that cannot be read"),
}

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


def stray(code: str) -> Text:
    return STRAYS.get(code, code)
