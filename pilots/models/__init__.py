"""The tables of the pilots room."""

from pilots.models.decision import Decision, Review
from pilots.models.evidence import Evidence, Reread
from pilots.models.host import Enrolment, Host
from pilots.models.objective import MemoryObjective
from pilots.models.pilot import Declared, Pilot, Project, Spec
from pilots.models.results import Item, Metric, Rung
from pilots.models.run import Run, RunEvent, RunFile

__all__ = [
    "Decision",
    "Declared",
    "Enrolment",
    "Evidence",
    "Host",
    "Item",
    "MemoryObjective",
    "Metric",
    "Pilot",
    "Project",
    "Reread",
    "Review",
    "Run",
    "RunEvent",
    "RunFile",
    "Rung",
    "Spec",
]
