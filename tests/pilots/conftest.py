"""A customer with a delivered CPU order, its host, a frozen pilot and runs on it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pilots import drafts, projects
from pilots import runs as acts
from pilots.models import Pilot, Project, Run
from pilots.runs import verifying
from pilots.spec import archive, limited, preflight
from rental.models import Order, User
from tests.pilots import projects as made
from tests.pilots.hosts import Claimed, HostAgent
from tests.rental.conftest import Place, catalogue, customer, deliver, place, put, staff, stranger

__all__ = ["catalogue", "customer", "deliver", "place", "put", "staff", "stranger"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """Every test has its own files."""
    settings.DATA_DIR = tmp_path / "data"
    settings.BROKER_ADMIN_URL = ""
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def in_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Archives of our own making are read without the limited process, which costs half a second a call."""
    if request.node.get_closest_marker("limited"):
        return

    def repack(path: Path, target: Path, *, for_host: bool = False) -> str:
        with target.open("xb") as file:
            return archive.for_host(path, file) if for_host else archive.repack(path, file)

    monkeypatch.setattr(limited, "findings", preflight.check)
    monkeypatch.setattr(limited, "unpack", archive.unpack)
    monkeypatch.setattr(limited, "repack", repack)


@pytest.fixture
def host(db: None) -> HostAgent:
    return HostAgent().enrol()


@pytest.fixture
def order(host: HostAgent, deliver: Place) -> Order:
    return deliver(host=host.name, card="cpu")


@pytest.fixture
def project(customer: User) -> Project:
    return projects.receive(customer, made.upload())


@pytest.fixture
def pilot(customer: User, project: Project, order: Order) -> Pilot:
    assert project.errors == []
    return drafts.create(customer, title="Supplier post", project=project, order=order)


@pytest.fixture
def run(pilot: Pilot, customer: User) -> Run:
    return acts.start(pilot, customer)


@pytest.fixture
def claimed(host: HostAgent, run: Run) -> Claimed:
    return host.claim(run.ref)


@pytest.fixture
def carried_out(claimed: Claimed) -> Callable[..., Run]:
    """A whole run: what the program wrote, how it ended, and the verification by the site."""

    def act(results: bytes = b"", *, files: dict[str, bytes] | None = None, **end: Any) -> Run:
        claimed.stages("fetched", "unpacked", "interpreter", "environment", "diagnostic", "launched", "processing")
        if results:
            claimed.ship("results.jsonl", results)
        for name, data in (files or {}).items():
            claimed.ship(name, data)
        claimed.stages("collecting")
        status, answer = claimed.finish(**end)
        assert status == 200, answer
        return verifying.verify(Run.objects.get(ref=claimed.told["run"]))

    return act
