"""A decision on a pilot: what follows, why, and on which evidence."""

from pilots.models import Decision, Pilot
from rental.models import User


def decide(pilot: Pilot, by: User, *, choice: str, reason: str, evidence_sha256: str) -> Decision:
    """Record it; an earlier one is superseded, never edited.

    Raises:
        Refusal: `evidence_unknown` when the hash is of no evidence of this pilot, `reason_missing`, `choice_unknown`.
    """
    raise NotImplementedError
