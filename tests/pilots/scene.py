"""A pilot as a host would carry it out, without a host: real acts, and files shipped as an agent ships them."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from billing import ledger
from pilots import drafts, projects, runs, storage
from pilots.host import wire
from pilots.models import Host, Pilot, Project, Run
from pilots.runs import claiming, reporting, verifying
from rental.accounts.people import make_customer
from rental.catalogue.book import load_examples
from rental.delivery import handover
from rental.models import Card, Order, User
from rental.orders import ordering

EXAMPLE = Path(__file__).parents[2] / "examples" / "documents"
IDS = [f"doc-{number:02d}" for number in range(1, 13)]
STAGES = ("fetched", "unpacked", "interpreter", "environment", "diagnostic", "launched", "processing", "collecting")
SECONDS = (2.8, 0.9, 0.6, 112, 67, 0.2, 201, 9)
CPU: dict[str, Any] = {
    "agent": "0.1.0", "hostname": "trial", "platform": "Linux 6.1 x86_64", "python": "3.11.2", "cpus": 2,
    "memory_bytes": 8 * 1024**3, "disk_free_bytes": 41_000_000_000, "cards": [], "sandbox": "bubblewrap",
}  # fmt: skip
H200: dict[str, Any] = {
    **CPU, "python": "3.12.8", "cpus": 32, "memory_bytes": 256 * 1024**3,
    "cards": [{"uuid": "GPU-1", "model": "NVIDIA H200", "memory_bytes": 141 * 1024**3, "driver": "580.95",
               "backend": "cuda"}],
}  # fmt: skip
DRIVER = {"cpu": ("Intel(R) Xeon(R) Processor", 0), "h200": ("NVIDIA H200", 150.8)}


def person(email: str, **fields: Any) -> User:
    user = make_customer(email, first_name="Ana", last_name="Lima", password="a long password 1").user
    for name, value in fields.items():
        setattr(user, name, value)
    user.save()
    return user


def host(name: str = "trial-1", facts: Mapping[str, Any] = CPU) -> Host:
    return Host.objects.create(
        name=name, token_digest=hashlib.sha256(name.encode()).hexdigest(), facts=facts, last_seen_at=timezone.now()
    )


def delivered(customer: User, staff: User, machine: Host, card: str = "cpu") -> Order:
    """An order of the customer that is served by this host."""
    if not Card.objects.exists():
        load_examples()
    quote = ordering.quote(customer, card=card, days=7, lots=1, preparation="pytorch", note="")
    order = ordering.place(customer, quote.pk)
    if order.total_cents:
        ledger.adjust(customer, order.total_cents, key=f"t:{order.code}", by=staff, reason="for a test")
    order = ordering.pay_from_balance(order, customer)
    model, memory = DRIVER[card]
    handover.record_card_proof(
        host_ref=machine.name, backend=order.card.backend, model=model, count=order.cards, memory_gb=memory, facts={},
        at=timezone.now(),
    )  # fmt: skip
    return handover.hand_over(order, hosts=[machine.name], access="ssh ana@203.0.113.7", by=staff)


def archive(files: Mapping[str, bytes]) -> SimpleUploadedFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as pack:
        for name, data in files.items():
            pack.writestr(name, data)
    return SimpleUploadedFile("supplier-post.zip", held.getvalue(), "application/zip")


def example_files(**criteria: Any) -> dict[str, bytes]:
    """The documents example, its criteria changed."""
    files = {path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in EXAMPLE.rglob("*") if path.is_file()}
    config = json.loads(files["config/pilote.json"])
    config["criteria"].update(criteria)
    files["config/pilote.json"] = json.dumps(config, indent=2).encode()
    return {name: data for name, data in files.items() if "__pycache__" not in name}


def small_files(count: int, **criteria: Any) -> dict[str, bytes]:
    """A project of `count` one-line inputs, the last one to be refused."""
    files = {name: data for name, data in example_files().items() if not name.startswith(("data/", "config/"))}
    ids = [f"doc-{number:05d}" for number in range(1, count + 1)]
    config = json.loads((EXAMPLE / "config/pilote.json").read_bytes())
    config["inputs"] = "data/pilote"
    config["criteria"] = {
        "items": count, "categories": ["invoice", "letter"], "must_refuse": ids[-1:], "max_minutes": 20, **criteria,
    }  # fmt: skip
    files["config/pilote.json"] = json.dumps(config).encode()
    lines = "".join(json.dumps({"id": item, "text": f"text of {item}"}) + "\n" for item in ids)
    files["data/pilote/items.jsonl"] = lines.encode()
    return files


_RECEIVED: dict[str, tuple[dict[str, Any], dict[str, bytes]]] = {}


def project(customer: User, files: Mapping[str, bytes] | None = None) -> Project:
    """Received as a customer sends it; the same archive is read by its limited process only once in a test run."""
    files = files or example_files()
    key = hashlib.sha256(b"".join(name.encode() + files[name] for name in sorted(files))).hexdigest()
    if key not in _RECEIVED:
        made = projects.receive(customer, archive(files))
        folder = storage.path_of(made.path).parent
        values = {
            field.attname: getattr(made, field.attname)
            for field in Project._meta.concrete_fields
            if field.name not in ("id", "ref", "customer")
        }
        _RECEIVED[key] = (values, {path.name: path.read_bytes() for path in folder.iterdir()})
        return made
    values, kept = _RECEIVED[key]
    folder = storage.path_of(values["path"]).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    return Project.objects.create(customer=customer, **values)


def pilot(customer: User, order: Order, machine: Host, files: Mapping[str, bytes] | None = None) -> Pilot:
    found = project(customer, files)
    assert found.can_be_frozen, found.errors
    return drafts.create(customer, title="Supplier post", project=found, order=order, host=machine)


def line(item: str, category: str = "", **more: Any) -> dict[str, Any]:
    if category:
        return {"id": item, "status": "accepted", "category": category, **more}
    return {"id": item, "status": "refused", "reason": more.pop("reason", "no text layer"), **more}


ANSWERS = dict(
    zip(
        IDS[:11],
        ("invoice", "letter", "contract", "invoice", "contract", "letter", "invoice", "letter", "contract", "invoice",
         "letter"),
        strict=True,
    )
)  # fmt: skip
MARGINS = (0.98, 0.91, 0.95, 0.99, 0.88, 0.93, 0.97, 0.54, 0.86, 0.96, 0.71)


def good_lines() -> list[dict[str, Any]]:
    """What a program writes that does everything right."""
    lines = [line(item, ANSWERS[item], margin=margin) for item, margin in zip(IDS[:11], MARGINS, strict=True)]
    return [*lines, line(IDS[11])]


def jsonl(rows: Iterable[Any]) -> bytes:
    """Objects as lines; a text is written as it is, so that a test may break a line."""
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()


def events(until: str = "collecting", *, end: Mapping[str, Any] | None = None, start: datetime | None = None) -> bytes:
    at = start or timezone.now() - timedelta(seconds=sum(SECONDS))
    rows: list[dict[str, Any]] = []
    for stage, seconds in zip(STAGES, SECONDS, strict=True):
        rows.append({"at": at.astimezone(UTC).isoformat(), "kind": "stage", "stage": stage, "data": {}})
        at += timedelta(seconds=seconds)
        if stage == until:
            break
    if end is not None:
        rows.append({"at": at.astimezone(UTC).isoformat(), "kind": "end", "stage": until, **end})
    return jsonl(rows)


def first_error(file: str, number: int, kind: str, text: str, stage: str = "processing") -> bytes:
    told = {"at": timezone.now().isoformat(), "kind": "first_error", "stage": stage, "file": file, "line": number}
    return jsonl([{**told, "error_kind": kind, "text": text, "context": []}])


RUNGS: tuple[tuple[int, str, str, float, dict[str, Any]], ...] = (
    (0, "host", "passed", 0.8, {"cards": H200["cards"], "cpus": 32}),
    (1, "interpreter", "passed", 0.3, {"version": "3.12.8", "venv": True}),
    (2, "import", "passed", 4.1, {"torch": "2.9.1", "build": "cuda", "cuda": "12.8"}),
    (3, "device seen", "passed", 1.9, {"devices": [{"name": "NVIDIA H200", "arch": "sm_90"}], "gpu_proved": True}),
    (4, "memory", "passed", 6.2, {"devices": [{"filled_bytes": 125 * 1024**3, "total_bytes": 139 * 1024**3}]}),
    (5, "compute", "passed", 8.8, {"devices": [{"float32": {"tflops": 51.2}, "float16": {"tflops": 701.9}}]}),
    (6, "libraries", "passed", 11.4, {"devices": [{"loss_first": 17.02, "loss_last": 9.4}]}),
    (7, "compiler", "passed", 19.6, {}),
    (8, "extensions", "passed", 5.0, {"extensions": [{"name": "flash_attn", "version": "2.8", "exercised": True}]}),
    (9, "several cards", "not_applicable", 0.1, {"error": "1 cards: nothing to compare"}),
    (10, "item", "passed", 9.2, {"shortest": "doc-03", "longest": "doc-11"}),
)


def rungs(failed: int | None = None) -> bytes:
    rows = []
    for number, name, verdict, seconds, facts in RUNGS:
        told = verdict if failed is None or number < failed else "failed" if number == failed else "not_run"
        told_facts = {"error": "the driver does not answer"} if number == failed else facts
        rows.append({
            "rung": number, "name": name, "verdict": told, "facts": told_facts, "seconds": seconds, "proves": "",
            "does_not_prove": "", "next": "Reboot the machine." if number == failed else "",
        })  # fmt: skip
    return jsonl(rows)


LOG = "".join(
    f"2026-12-01 09:18:{number % 60:02d} INFO  classify {IDS[number % 12]} margin=0.9{number % 10}\n"
    for number in range(1, 387)
).encode()
FREEZE = b"numpy==2.1.0\nsafetensors==0.6.2\ntokenizers==0.22.0\ntorch==2.9.1\n"


def claim(run: Run) -> Run:
    claiming.claim(run.host, run.ref, run.attempt, "claim-1")
    run.refresh_from_db()
    return run


def ship(run: Run, **files: bytes) -> Run:
    """Ship files whole; a name is written with underscores: `results_jsonl`."""
    for key, data in files.items():
        name = ".".join(key.rsplit("_", 1))
        held = claiming.held(run).get(name, 0)
        if data:
            reporting.append(run, run.attempt, "claim-1", name, held, data)
    run.refresh_from_db()
    return run


def finish(
    run: Run, outcome: wire.Outcome = "completed", reason: str = "program_ended", fault: wire.Fault | None = None,
    exit_code: int | None = 0, *, verify: bool = True,
) -> Run:  # fmt: skip
    files: dict[str, wire.FileFact] = {}
    for file in run.files.filter(attempt=run.attempt):
        file.run = run
        data = file.disk_path.read_bytes()
        files[file.name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    reporting.finish(run, {
        "attempt": run.attempt, "claim": "claim-1", "outcome": outcome, "reason": reason, "fault": fault,
        "exit_code": exit_code, "files": files,
    })  # fmt: skip
    run.refresh_from_db()
    return verifying.verify(run) if verify else run


def tried(found: Pilot, lines: Iterable[Any] | None = None, *, ends: Mapping[str, Any] | None = None,
          stderr: bytes = LOG, more_events: bytes = b"") -> Run:  # fmt: skip
    """A whole try, from its start to its verification."""
    run = claim(runs.start(found, found.customer))
    told = jsonl(good_lines() if lines is None else lines)
    ship(
        run, events_jsonl=events() + more_events, diagnostic_jsonl=rungs(), results_jsonl=told, stderr_log=stderr,
        freeze_txt=FREEZE,
    )  # fmt: skip
    return finish(run, **(ends or {}))
