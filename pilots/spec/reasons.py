"""Why a run ended: every stable reason code, the outcome it belongs to and whose fault it is."""

from dataclasses import dataclass
from typing import Final, Literal

from pilots.spec.words import Fault

Outcome = Literal["completed", "failed", "cancelled", "lost", "refused"]


@dataclass(frozen=True)
class Reason:
    """A reason: the site translates it by its code, the command line says `sentence`."""

    code: str
    outcome: Outcome
    fault: Fault | None
    sentence: str


_TABLE: Final[tuple[tuple[str, Outcome, Fault | None, str], ...]] = (
    # the program ended by itself with code 0: the verdict is the criteria's, not the exit code's
    ("program_ended", "completed", None, "The program ran to its end."),
    # project: the customer can mend it
    ("archive_refused", "refused", "project", "The project's archive is not safe to unpack."),
    ("config_invalid", "refused", "project", "config/pilote.json does not follow its schema."),
    ("inputs_changed", "refused", "project", "The inputs are not the ones that were frozen."),
    ("backend_mismatch", "refused", "project", "The project asks for another backend than this host has."),
    ("requirements_missing", "failed", "project", "requirements-rebuild.txt is missing."),
    ("environment_failed", "failed", "project", "The environment could not be built from requirements-rebuild.txt."),
    ("extension_failed", "failed", "project", "A declared extension failed in the diagnostic."),
    ("program_missing", "failed", "project", "The program named by the command does not exist."),
    ("program_failed", "failed", "project", "The program ended with an error."),
    ("program_killed", "failed", "project", "A signal ended the program."),
    ("program_memory", "failed", "project", "The program used more memory than it was given."),
    ("gpu_memory", "failed", "project", "The GPU's memory was not enough for the program."),
    ("time_limit", "failed", "project", "The program ran longer than its criteria allow."),
    ("output_limit", "failed", "project", "The program wrote more than a file may hold."),
    ("process_limit", "failed", "project", "The program started more processes than it may."),
    ("resume_failed", "failed", "project", "The resumed program did not run to its end."),
    # host: the machine's operator can mend it
    ("interpreter_missing", "failed", "host", "The host has no Python interpreter that fits."),
    ("diagnostic_failed", "failed", "host", "A rung of the diagnostic ladder failed."),
    ("gpu_lost", "failed", "host", "The GPU stopped answering."),
    ("driver_failed", "failed", "host", "The GPU's driver does not fit or does not answer."),
    ("host_disk_full", "failed", "host", "The host's disk is full."),
    ("host_memory", "failed", "host", "The host itself ran out of memory."),
    ("package_index_unreachable", "failed", "host", "The host does not reach the package index."),
    ("sandbox_failed", "failed", "host", "The host could not isolate the program."),
    ("supervisor_lost", "failed", "host", "The run's supervisor ended and the program with it."),
    ("host_restarted", "failed", "host", "The host was restarted during the run."),
    ("agent_failed", "failed", "host", "The host's agent failed."),
    ("silent", "lost", "host", "The host stopped reporting and its leases ran out."),
    ("never_claimed", "lost", "host", "The host never took the run."),
    ("host_revoked", "lost", "host", "The host was taken off the fleet during the run."),
    # platform: ours
    ("archive_damaged", "failed", "platform", "The archive that arrived does not have its hash."),
    ("archive_unavailable", "failed", "platform", "The archive could not be fetched."),
    ("spec_mismatch", "refused", "platform", "The spec that arrived does not have its hash."),
    ("copy_differs", "failed", "platform", "The site's copy differs from what the host announced."),
    ("internal", "failed", "platform", "The platform itself failed."),
    # nobody's fault
    ("cancelled_by_customer", "cancelled", None, "The customer cancelled the run."),
    ("cancelled_by_operator", "cancelled", None, "An operator cancelled the run."),
    ("term_ended", "cancelled", None, "The rental's term ended."),
    ("interrupted", "cancelled", None, "The run was interrupted on the host."),
)

REASONS: Final[dict[str, Reason]] = {row[0]: Reason(*row) for row in _TABLE}


def reason(code: str) -> Reason:
    """The reason of a code; one that is not known counts as the platform's, since nobody else wrote it."""
    return REASONS.get(code) or Reason(code, "failed", "platform", REASONS["internal"].sentence)
