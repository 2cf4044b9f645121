"""A training: its steps, what its agent measured, and words in a number's place."""

import json
from typing import Any

import pytest

from pilots import drafts, projects
from pilots import runs as acts
from pilots.models import Run
from pilots.runs import verifying
from rental.models import Order, User
from tests.pilots import projects as made
from tests.pilots.hosts import Claimed, HostAgent

pytestmark = pytest.mark.django_db
MEASURED = {
    "minutes": 0.5, "updates": 3, "items_read": 12, "checkpoints": 1, "checkpoint_loads": True,
    "peak_gpu_memory_bytes": None,
    "resume": {"completed": True, "largest_difference": 0.0, "first_difference": None},
}  # fmt: skip


@pytest.fixture
def training(customer: User, order: Order, host: HostAgent) -> Claimed:
    told = made.config(
        kind="training",
        command=["python", "src/classify.py", "{inputs}", "{output}", "{checkpoint}", "{until_step}"],
        resume={"interrupt_at": 2, "until": 3, "tolerance": 0},
    )
    told["criteria"] = {"items": 12, "min_updates": 3}
    content = made.files()
    content["config/pilote.json"] = json.dumps(told).encode()
    project = projects.receive(customer, made.upload(content))
    assert project.errors == []
    run = acts.start(drafts.create(customer, title="Training", project=project, order=order), customer)
    return host.claim(run.ref)


def end(training: Claimed, measured: Any) -> Run:
    steps = [{"step": number, "loss": 1 / number, "items": 4 * number} for number in (1, 2, 3)]
    training.ship("metrics.jsonl", made.lines(*steps))
    training.ship("checkpoints.jsonl", made.lines({"path": "checkpoints/3.pt", "size": 9, "sha256": "0" * 64}))
    training.ship("events.jsonl", made.lines({"kind": "note", "code": "measured", "measured": measured}))
    assert training.finish()[0] == 200
    return verifying.verify(Run.objects.get(ref=training.told["run"]))


def words(run: Run) -> dict[str, str]:
    return {verdict["code"]: verdict["verdict"] for verdict in run.verdicts or []}


def test_a_training_holds_by_what_its_agent_measured(training: Claimed) -> None:
    run = end(training, MEASURED)
    assert set(words(run).values()) == {"met"}
    assert (run.holds, run.sheet, run.steps, run.stage) == (True, None, 3, "verified")
    assert [metric.loss for metric in run.metrics.all()] == [1, 0.5, pytest.approx(1 / 3)]


@pytest.mark.parametrize(
    "measured",
    [None, {}, "all", [], dict.fromkeys(MEASURED, "many"), {"resume": {"largest_difference": "0"}},
     {"checkpoint_loads": 1, "minutes": True}, {"updates": float("1e999")}],
)  # fmt: skip
def test_words_in_a_numbers_place_measure_nothing_and_stop_nothing(training: Claimed, measured: Any) -> None:
    run = end(training, measured)
    assert run.stage == "verified"
    assert run.holds is False
    assert (words(run)["checkpoint_loads"], words(run)["resume"]) == ("not_measured", "not_measured")
    assert words(run)["min_updates"] == "met"
