"""The words that the site and a host exchange: names of endpoints, files, stages and outcomes, in one place.

Everything a run reports is an append-only file, shipped by offset. Stages, the first error and the end are lines
of `events.jsonl`; results are lines of `results.jsonl`; nothing else is a report.
"""

from typing import Final, Literal, NotRequired, TypedDict, get_args

from pilots.spec.words import Fault, FrozenSpec, Item

__all__ = ["Fault", "FrozenSpec", "Item"]  # the spec's own words, which both sides say too

WIRE_VERSION: Final = 1
TASK_WAKE: Final = "kernodeck.wake"  # a Celery message: kwargs {"run": str, "attempt": int}, never more
QUEUE: Final = "runs"  # under the host's own key prefix `h:<host>:`

Stage = Literal[
    "queued", "claimed", "fetched", "unpacked", "interpreter", "environment",
    "diagnostic", "launched", "processing", "collecting", "verified",
]  # fmt: skip
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
Outcome = Literal["completed", "failed", "cancelled", "lost", "refused"]

# Files a host may ship, each append-only. The site refuses any other name.
FILES: Final = (
    "events.jsonl",      # {"at", "kind": "stage"|"note"|"first_error"|"end", …}
    "results.jsonl",     # the program's, a line an item
    "metrics.jsonl",     # a training's, a line a step
    "stdout.log",
    "stderr.log",
    "diagnostic.jsonl",  # a line a rung
    "samples.jsonl",     # {"at", "cpu_percent", "rss_bytes", "gpu": […]|null}
    "freeze.txt",        # the environment, name==version
    "checkpoints.jsonl", # {"path", "size", "sha256"}
    "install.log",       # pip's words
)  # fmt: skip


class Facts(TypedDict):
    """What a host says of itself at each hello."""

    agent: str
    hostname: str
    platform: str
    python: str
    cpus: int
    memory_bytes: int
    disk_free_bytes: int
    cards: list["CardFacts"]
    sandbox: str  # "bubblewrap", "user" or "process"


class CardFacts(TypedDict):
    """One card as the driver lists it; an empty list of cards is a CPU machine."""

    uuid: str
    model: str
    memory_bytes: int
    driver: str
    backend: Literal["cuda", "rocm"]


class Enrolled(TypedDict):
    """Answer to `POST enrol` {token, facts}: shown once."""

    host: str
    token: str
    broker_url: str
    key_prefix: str
    hello_seconds: float


class Claim(TypedDict):
    """Answer to `POST claim` {run, attempt, claim}."""

    run: str
    attempt: int
    claim: str
    run_key: str  # sent as `Authorization: Bearer` with every later call of this run
    try_number: int
    spec: FrozenSpec
    spec_sha256: str
    archive_sha256: str  # of GET runs/<run>/archive
    archive_size: int
    remaining: list[str] | None  # ids to finish; None: all of them
    env: dict[str, str]
    lease_seconds: float
    report_seconds: float
    held: dict[str, int]  # bytes the site already holds of each file


class Report(TypedDict):
    """`POST runs/<run>/report`: the heartbeat; renews the lease."""

    attempt: int
    claim: str
    sizes: NotRequired[dict[str, int]]  # bytes the host has of each file


class ReportAnswer(TypedDict):
    cancel: bool
    lease_seconds: float
    report_seconds: float
    held: dict[str, int]


class Manifest(TypedDict):
    """`POST runs/<run>/finish`: what the host has, to be compared with the site's own copy."""

    attempt: int
    claim: str
    outcome: Outcome
    reason: str  # a stable code, see pilots/spec/reasons.py
    fault: Fault | None
    exit_code: int | None
    files: dict[str, "FileFact"]


class FileFact(TypedDict):
    size: int
    sha256: str


# Endpoints under /api/host/v1/. Bodies are JSON but for a file's range, which is raw bytes:
#   POST enrol                         {"token", "name", "facts"}           -> Enrolled
#   POST hello                         {"facts"}                            -> {"hello_seconds"}
#   POST diagnostic                    {"report": [rung, …]}                -> {"proved": [{"card", "count"}]}
#   POST claim                         {"run", "attempt", "claim"}          -> Claim | 409
#   GET  runs/<run>/archive                                                 -> bytes
#   POST runs/<run>/report             Report                               -> ReportAnswer | 409
#   POST runs/<run>/files/<name>?offset=N&attempt=A&claim=C   raw bytes     -> {"held"} | 409 {"held"}
#   POST runs/<run>/finish             Manifest                             -> {"held": {…}} | 409 {"held": {…}}
# 409 with code `stale` means: stop, kill the program, keep the files. 5xx, 429 and network faults: retry.
