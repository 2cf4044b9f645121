"""Criteria and verdicts in words, and why a line of results or of a log counts as an error."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

CRITERIA: dict[str, Text] = {
    "items": _("Items declared"),
    "sheet_holds": _("Every id exactly once"),
    "categories": _("Categories allowed"),
    "must_refuse": _("Refused as expected"),
    "min_agreement": _("Agreement with the expected answers"),
    "min_updates": _("Updates of the model"),
    "checkpoint_written": _("Checkpoint written"),
    "checkpoint_loads": _("Checkpoint can be loaded"),
    "resume": _("Resume after a stop"),
    "max_minutes": _("Time"),
    "max_gpu_memory_gb": _("Peak GPU memory"),
}

# code → (shape, word)
VERDICTS: dict[str, tuple[str, Text]] = {
    "met": ("confirmed", _("met")),
    "missed": ("stopped", _("missed")),
    "not_measured": ("missing", _("not measured")),
    "measured": ("confirmed", _("measured")),
    "waiting": ("missing", _("not yet measured")),
}

# Why a line of results.jsonl says nothing that can be counted.
MALFORMED: dict[str, Text] = {
    "too_long": _("the line is too long"),
    "nul": _("the line holds NUL characters, as a crash of the machine leaves them"),
    "not_utf8": _("the line is not UTF-8 text"),
    "not_json": _("the line is not valid JSON"),
    "too_deep": _("the values nest too deeply"),
    "bad_text": _("a text holds half a character"),
    "bad_number": _("a number is not finite or too large"),
    "not_object": _("the line is not a JSON object"),
    "id_missing": _("the line has no id"),
    "id_not_text": _("the id is not a text"),
    "status_missing": _("the line has no status"),
    "status_unknown": _("the status is neither “accepted” nor “refused”"),
}

# What a first error is about.
ERRORS: dict[str, Text] = {
    "gpu_memory": _("The GPU's memory was not enough."),
    "gpu_no_kernel": _("The installed build carries no code for this card."),
    "gpu_driver": _("The driver and the installed build do not fit each other."),
    "gpu_lost": _("The card stopped answering."),
    "gpu_assert": _("A check inside a computation on the card failed, often an index out of its range."),
    "gpu_memory_access": _("A computation on the card touched memory that was not its own."),
    "collective": _("The cards could not agree on a common result."),
    "gpu": _("The card's library reported an error."),
    "memory": _("The machine's memory was not enough."),
    "disk": _("There was no room left to write."),
    "library": _("A shared library is missing or does not fit."),
    "package_conflict": _("The pinned packages contradict each other."),
    "package_index": _("The package index was not reached."),
    "package_missing": _("A pinned package does not exist for this machine."),
    "package_hash": _("A package does not have its pinned hash."),
    "package_build": _("A package could not be built."),
    "package": _("A package could not be installed."),
    "network": _("The program asked for the network, and there is none."),
    "not_found": _("A file or a command was not found."),
    "permission": _("Something was not permitted."),
    "syntax": _("A source file has a syntax error."),
    "import": _("A module could not be imported."),
    "crash": _("The program crashed."),
    "exception": _("The program raised an exception."),
    "shell": _("A shell command failed."),
    "diagnostic": _("A rung of the diagnostic failed."),
    "resume": _("The resume test failed."),
    "time_limit": _("The program ran longer than its criteria allow."),
    "output_limit": _("The program wrote more than a file may hold."),
    "process_limit": _("The program started more processes than it may."),
    "last_words": _("The program ended with an error. Its last words stand in the log."),
}


def criterion(code: str) -> Text:
    return CRITERIA.get(code, code)


def verdict(code: str) -> tuple[str, Text]:
    return VERDICTS.get(code, ("told", code))


def malformed(code: str) -> Text:
    return MALFORMED.get(code, code)


def error(kind: str) -> Text:
    return ERRORS.get(kind, "")
