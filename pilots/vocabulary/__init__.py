"""Stable codes of pilots and runs as sentences in the reader's language; an unknown code is shown as it is."""

from pilots.vocabulary.criteria import CRITERIA, VERDICTS, criterion, error, malformed, verdict
from pilots.vocabulary.findings import FINDINGS, LEVELS, finding, level
from pilots.vocabulary.rungs import RUNG_VERDICTS, rung, rung_verdict
from pilots.vocabulary.runs import (
    FAULTS,
    OUTCOMES,
    REASONS,
    STAGES,
    Word,
    choice,
    fault,
    outcome,
    reason,
    review,
    sandbox,
    stage,
    stray,
)

__all__ = [
    "CRITERIA",
    "FAULTS",
    "FINDINGS",
    "LEVELS",
    "OUTCOMES",
    "REASONS",
    "RUNG_VERDICTS",
    "STAGES",
    "VERDICTS",
    "Word",
    "choice",
    "criterion",
    "error",
    "fault",
    "finding",
    "level",
    "malformed",
    "outcome",
    "reason",
    "review",
    "rung",
    "rung_verdict",
    "sandbox",
    "stage",
    "stray",
    "verdict",
]
