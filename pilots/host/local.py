"""A whole pilot on this machine without the site: `kernodeck run`, and its sheet read again."""

import hashlib
import json
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pilots.host.folders import Folders, newest_checkpoint, open_plain
from pilots.host.journal import Teller
from pilots.host.launch import Halt
from pilots.host.runner import Ends, Result, Try
from pilots.host.wire import FrozenSpec
from pilots.spec import archive, criteria, expected, frozen, manifest
from pilots.spec.config import EXPECTED_FILE, Config, from_dict, load
from pilots.spec.sheet import Sheet

VERDICT = "verdict.json"


class NotUsable(ValueError):
    """A folder that is not what the command needs: wrong use, not a verdict."""


@dataclass(frozen=True)
class Judged:
    """A try against the criteria that were frozen before it."""

    folder: Path
    result: dict[str, Any]  # outcome, reason, fault, exit_code, message, seconds
    sheet: dict[str, Any] | None  # documents only
    verdicts: list[dict[str, Any]]
    holds: bool
    spec_sha256: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": str(self.folder),
            **self.result,
            "spec_sha256": self.spec_sha256,
            "sheet": self.sheet,
            "verdicts": self.verdicts,
            "holds": self.holds,
        }


def run(
    folder: Path,
    cache: Path,
    *,
    output: Path | None = None,
    resume: Path | None = None,
    one_item: bool | None = None,
    teller: Teller | None = None,
    halt: Halt | None = None,
) -> Judged:
    """Carries a project folder's pilot out, as a host would; raises ConfigError or NotUsable before it starts."""
    config = load(folder)
    (cache / "pip").mkdir(parents=True, exist_ok=True)
    answers = expected.load(folder, config)
    root = output or folder / "runs" / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    if root.exists():
        raise NotUsable(f"{root} exists already; a try needs a new, empty folder.")
    earlier = read_spec(resume) if resume else None
    empty: FrozenSpec = {"schema": frozen.SCHEMA, "config": dict(config.raw), "manifest": [], "project_sha256": ""}
    attempt = Try(
        Folders(root.absolute()),
        empty,
        config,
        cache,
        teller=teller,
        halt=Halt() if halt is None else halt,
        one_item=one_item,
        pip_cache=cache / "pip",
        check_inputs=False,  # the manifest is frozen from the very copy that is used
    )

    def bring(attempt: Try) -> None:
        attempt.journal.stage("unpacked")
        copy(folder, attempt.folders.project)
        try:
            items = manifest.freeze(attempt.folders.project, config)
        except manifest.ManifestError as error:
            raise Ends("inputs_changed", error.message) from error
        attempt.spec = frozen.freeze(config, items, archive.digest_of(folder))
        if resume and earlier:
            go_on_from(attempt, resume, earlier)

    result = attempt.carry_out(bring)
    if answers:
        shutil.copyfile(folder / EXPECTED_FILE, root / "expected.json")
    judged = judge(root, attempt.spec, config, answers, result)
    (root / VERDICT).write_text(json.dumps(judged.as_dict(), ensure_ascii=False, indent=1), encoding="utf-8")
    for name in ("project", "work", "one"):
        shutil.rmtree(root / name, ignore_errors=True)
    return judged


def copy(folder: Path, target: Path) -> None:
    """What an archive of the folder would hold, without the answers that no program may see."""
    try:
        for name in archive.packed_files(folder):
            if name != EXPECTED_FILE:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(folder / name, target / name)
    except archive.Refused as error:
        raise Ends("archive_refused", str(error)) from error


def go_on_from(attempt: Try, earlier: Path, spec: FrozenSpec) -> None:
    """Finish only what an earlier try left: its lines come first, its checkpoint is handed on."""
    if spec["manifest"] != attempt.spec["manifest"] or spec["config"] != attempt.spec["config"]:
        raise Ends("spec_mismatch", "The earlier run has another spec: configuration or inputs changed.")
    old, new = Folders(earlier), attempt.folders
    for name in ("results.jsonl", "metrics.jsonl"):
        if old.file(name).exists():
            with open_plain(old.file(name)) as source, new.file(name).open("wb") as target:
                for line in source:
                    if line.endswith(b"\n"):  # half a line of a killed program is no line
                        target.write(line)
    if attempt.config.kind == "documents":
        attempt.remaining = Sheet.of_file(spec["manifest"], new.file("results.jsonl"), attempt.config).missing()
    elif newest := newest_checkpoint(old.output):
        (new.output / "checkpoints").mkdir()
        attempt.checkpoint = new.output / "checkpoints" / newest.name
        shutil.copy2(newest, attempt.checkpoint)


def judge(root: Path, spec: FrozenSpec, config: Config, answers: dict[str, str], result: Result) -> Judged:
    told = {
        "outcome": result.outcome,
        "reason": result.reason,
        "fault": result.fault,
        "exit_code": result.exit_code,
        "message": result.message,
        "seconds": result.seconds,
        "measured": dict(result.measured),
    }
    return _judged(root, spec, config, answers, told)


def read_again(root: Path) -> Judged:
    """The sheet and the verdicts of a run folder, computed anew from its files."""
    spec = read_spec(root)
    config = from_dict(cast(dict[str, Any], spec["config"]))
    try:
        told = json.loads((root / VERDICT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = _told_by_events(Folders(root).report / "events.jsonl")
    path = root / "expected.json"
    answers = expected.parse(path.read_bytes(), config) if path.exists() else {}
    keys = ("outcome", "reason", "fault", "exit_code", "message", "seconds", "measured")
    return _judged(root, spec, config, answers, {key: told.get(key) for key in keys})


def read_spec(root: Path) -> FrozenSpec:
    try:
        spec: FrozenSpec = json.loads((root / "spec.json").read_bytes())
    except (OSError, ValueError) as error:
        raise NotUsable(f"{root} is no run folder: spec.json cannot be read.") from error
    return spec


def _judged(root: Path, spec: FrozenSpec, config: Config, answers: dict[str, str], told: dict[str, Any]) -> Judged:
    sheet: dict[str, Any] | None = None
    if config.kind == "documents":
        folders = Folders(root)
        # What is no plain file holds no line; the run itself says so.
        results = folders.file("results.jsonl" if "results.jsonl" in folders.sizes() else "none")
        sheet = dict(Sheet.of_file(spec["manifest"], results, config, answers).as_dict())
    measured = cast(criteria.Measured, told.get("measured") or {})
    verdicts = criteria.judge(config, sheet, measured)
    holds = told.get("outcome") == "completed" and criteria.passed(verdicts)
    return Judged(root, told, sheet, [row.as_dict() for row in verdicts], holds, _sha(root, spec))


def _sha(root: Path, spec: FrozenSpec) -> str:
    """The spec's hash. Its file holds the canonical text already, which takes a while to make for many inputs."""
    try:
        return hashlib.sha256((root / "spec.json").read_bytes()).hexdigest()
    except OSError:  # the try ended before it was written
        return frozen.sha(spec)


def _told_by_events(path: Path) -> dict[str, Any]:
    """How a run ended, by its own journal: for a folder that a host left."""
    ends: dict[str, Any] = {}
    try:
        with open_plain(path) as file:
            for line in file:
                event = json.loads(line)
                if event.get("code") == "measured":
                    ends["measured"] = event.get("measured")
                if event.get("kind") == "end":
                    ends |= {**event, "seconds": event.get("facts", {}).get("seconds")}
    except (OSError, ValueError):
        return ends
    return ends
