"""Pilots by API: the whole way, and every door for a stranger."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from common.models import ApiToken
from pilots import projects
from pilots.models import Host, Pilot, Run
from pilots.runs import verifying
from pilots.runs.offering import dispatch_due
from rental.models import Order, User
from tests.pilots import projects as made
from tests.pilots.hosts import HostAgent

pytestmark = pytest.mark.django_db
BASE = "/api/v1"


class Api:
    def __init__(self, user: User, *scopes: str) -> None:
        _row, token = ApiToken.issue(user, "test", list(scopes or ("read", "order", "pilot")))
        self.client, self.headers = Client(), {"authorization": f"Bearer {token}"}

    def get(self, path: str, **query: Any) -> tuple[int, Any]:
        answer = self.client.get(BASE + path, query, headers=self.headers)
        if answer.streaming:
            return answer.status_code, b"".join(answer.streaming_content)  # type: ignore[attr-defined]
        return answer.status_code, answer.json()

    def post(self, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        headers = {**self.headers, **({"idempotency-key": key} if key else {})}
        answer = self.client.post(BASE + path, json.dumps(body or {}), content_type="application/json", headers=headers)
        return answer.status_code, answer.json()

    def upload(self, content: Any) -> tuple[int, Any]:
        answer = self.client.post(f"{BASE}/projects", {"archive": content}, headers=self.headers)
        return answer.status_code, answer.json()


@pytest.fixture
def api(customer: User) -> Api:
    return Api(customer)


@pytest.fixture
def other(stranger: User) -> Api:
    return Api(stranger)


def test_the_whole_way(api: Api, order: Order, host: HostAgent) -> None:
    status, project = api.upload(made.upload(expected={"doc-01": "invoice", "doc-02": "letter"}))
    assert status == 201
    assert [finding for finding in project["preflight"] if finding["level"] == "error"] == []
    status, pilot = api.post("/pilots", {"project": project["id"], "order": order.code, "title": "By API"}, "p1")
    assert status == 201
    assert api.post("/pilots", {"project": project["id"], "order": order.code, "title": "By API"}, "p1")[1] == pilot
    assert (len(pilot["spec_sha256"]), pilot["criteria"]["items"]) == (64, 12)
    status, run = api.post(f"/pilots/{pilot['id']}/runs")
    assert (status, run["stage"]) == (201, "queued")
    status, again = api.post(f"/pilots/{pilot['id']}/runs")
    assert (status, again["code"], again["run"]) == (409, "run_open", run["id"])
    assert dispatch_due(timezone.now(), lambda *_: True) == 1
    claimed = host.claim(run["id"])
    claimed.stages("fetched", "launched", "processing")
    claimed.ship("results.jsonl", made.good()[:200])
    status, live = api.get(f"/runs/{run['id']}")
    assert (live["stage"], live["outcome"], live["holds"]) == ("processing", "", None)
    assert live["counts"]["accepted"] > 0
    assert api.get(f"/runs/{run['id']}/sheet")[1]["holds"] is False
    claimed.ship("results.jsonl", made.good()[200:])
    claimed.stages("collecting")
    claimed.finish()
    verifying.verify(Run.objects.get(ref=run["id"]))

    status, done = api.get(f"/runs/{run['id']}")
    assert (done["stage"], done["outcome"], done["holds"]) == ("verified", "completed", True)
    assert done["counts"]["missing"] == 0
    status, sheet = api.get(f"/runs/{run['id']}/sheet")
    assert (sheet["declared"], sheet["accepted"], sheet["refused"], sheet["holds"]) == (12, 11, 1, True)
    status, rows = api.get(f"/runs/{run['id']}/items")
    assert [row["id"] for row in rows["items"]] == made.ids()
    assert (rows["next"], rows["items"][1]["agrees"], rows["items"][1]["expected"]) == (None, False, "letter")
    assert [row["id"] for row in api.get(f"/runs/{run['id']}/items", disagreement=True)[1]["items"]] == ["doc-02"]
    assert [row["id"] for row in api.get(f"/runs/{run['id']}/items", status="refused")[1]["items"]] == ["doc-12"]
    assert api.get(f"/runs/{run['id']}/items", status="odd")[0] == 422
    assert api.get(f"/runs/{run['id']}/items", cursor="rubbish")[0] == 422
    assert {row["name"] for row in api.get(f"/runs/{run['id']}/files")[1]["items"]} == {"events.jsonl", "results.jsonl"}
    assert api.get(f"/runs/{run['id']}/files/results.jsonl") == (200, made.good())
    status, reviewed = api.post(f"/runs/{run['id']}/items/doc-02/review", {"verdict": "wrong", "note": "a contract"})
    assert (status, reviewed["item"]) == (201, "doc-02")
    assert api.get(f"/runs/{run['id']}/items", reviewed="wrong")[1]["items"][0]["id"] == "doc-02"
    assert len(api.get(f"/runs/{run['id']}/items", reviewed="none")[1]["items"]) == 11
    status, archive = api.get(f"/runs/{run['id']}/evidence")
    assert (status, archive[:2]) == (200, b"PK")
    body = {"choice": "launch", "reason": "All met.", "evidence_sha256": done["evidence_sha256"]}
    status, decided = api.post(f"/pilots/{pilot['id']}/decisions", body)
    assert (status, decided["choice"], decided["run"]) == (201, "launch", run["id"])
    status, refused = api.post(f"/pilots/{pilot['id']}/decisions", {**body, "evidence_sha256": "0" * 64})
    assert (status, refused["code"]) == (409, "evidence_unknown")
    status, key = Api.get(api, "/evidence-key")
    assert (status, len(key["key_id"])) == (200, 64)
    status, events = api.get(f"/runs/{run['id']}/events")
    assert events["items"][0]["new"] == "queued"
    assert claimed.told["claim"] not in json.dumps(events)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/projects/{project}", None),
        ("GET", "/pilots/{pilot}", None),
        ("GET", "/pilots/{pilot}/runs", None),
        ("GET", "/pilots/{pilot}/decisions", None),
        ("POST", "/pilots/{pilot}/runs", {}),
        ("POST", "/pilots/{pilot}/decisions", {"choice": "launch", "reason": "x", "evidence_sha256": "0" * 64}),
        ("GET", "/runs/{run}", None),
        ("GET", "/runs/{run}/sheet", None),
        ("GET", "/runs/{run}/items", None),
        ("GET", "/runs/{run}/strays", None),
        ("GET", "/runs/{run}/events", None),
        ("GET", "/runs/{run}/files", None),
        ("GET", "/runs/{run}/files/events.jsonl", None),
        ("GET", "/runs/{run}/evidence", None),
        ("POST", "/runs/{run}/cancel", {}),
        ("POST", "/runs/{run}/resume", {}),
        ("POST", "/runs/{run}/items/doc-01/review", {"verdict": "right"}),
        ("POST", "/pilots", {"project": "{project}", "title": "Stolen"}),
        ("POST", "/pilots", {"project": "{own}", "title": "Stolen", "order": "{order}"}),
        ("POST", "/pilots", {"project": "{own}", "title": "Stolen", "host": "host-1"}),
        ("POST", "/pilots", {"project": "{own}", "title": "Stolen", "previous": "{pilot}"}),
    ],
)
def test_a_stranger_an_operator_and_nobody_find_nothing(
    method: str, path: str, body: Any, run: Run, staff: User, stranger: User, pilot: Pilot, order: Order
) -> None:
    own = projects.receive(stranger, made.upload())
    names = {"project": pilot.project.ref, "pilot": pilot.ref, "run": run.ref, "order": order.code}  # type: ignore[union-attr]
    for who, mine in ((stranger, own.ref), (staff, "0" * 26)):
        api = Api(who)
        filled = json.loads(json.dumps(body).replace("{own}", mine)) if body is not None else None
        for name, value in names.items():
            filled = json.loads(json.dumps(filled).replace(f"{{{name}}}", value))
        status, answer = api.get(path.format(**names)) if method == "GET" else api.post(path.format(**names), filled)
        assert (status, answer["code"]) == (404, "not_found"), (who, answer)
    anonymous = Client().generic(method, BASE + path.format(**names), json.dumps(body or {}), "application/json")
    assert anonymous.status_code == 401
    run.refresh_from_db()
    assert run.cancel_asked_at is None


def test_a_token_without_the_scope_may_not(customer: User, pilot: Pilot) -> None:
    status, answer = Api(customer, "read").post(f"/pilots/{pilot.ref}/runs")
    assert (status, answer["code"]) == (403, "scope_missing")


def test_numbers_that_are_texts_and_unknown_words_are_refused(api: Api, run: Run, pilot: Pilot) -> None:
    assert api.post(f"/runs/{run.ref}/items/doc-01/review", {"verdict": "maybe"})[0] == 422
    assert api.post(f"/runs/{run.ref}/items/doc-99/review", {"verdict": "right"})[0] == 404
    assert api.post(f"/runs/{run.ref}/items/doc-01/review", {"verdict": "right", "note": "a\0b"})[0] == 422
    assert api.post("/pilots", {"project": 7, "title": "x"})[0] == 422
    assert api.post(f"/pilots/{pilot.ref}/decisions", {"choice": "launch"})[0] == 422
    assert api.get(f"/runs/{run.ref}/files/..%2f..%2fsecret")[0] == 404


def test_the_hosts_api_has_its_own_description() -> None:
    schema = Client().get("/api/host/v1/openapi.json").json()
    assert set(schema["paths"]) == {
        f"/api/host/v1/{path}"
        for path in (
            "enrol", "hello", "diagnostic", "claim", "runs/{run}/archive", "runs/{run}/report",
            "runs/{run}/files/{name}", "runs/{run}/finish",
        )
    }  # fmt: skip


def test_what_a_cpu_machine_and_a_card_prove(host: HostAgent, catalogue: Any) -> None:
    def rung(number: int, verdict: str = "passed", **facts: Any) -> dict[str, Any]:
        return {"rung": number, "name": f"rung {number}", "verdict": verdict, "seconds": 0.1, "facts": facts}

    assert host.post("diagnostic", {"report": [rung(0, cards=[]), rung(1)]})[1] == {
        "proved": [{"card": "cpu", "count": 1}]
    }
    card = {
        "uuid": "GPU-1",
        "model": "NVIDIA H100 80GB HBM3",
        "memory_bytes": 85520809984,
        "driver": "580",
        "backend": "cuda",
    }
    listed = rung(0, cards=[card, card | {"uuid": "GPU-2"}])
    computed = rung(5, gpu_proved=True, devices=[{"device": "cuda:0"}, {"device": "cuda:1"}])
    assert host.post("diagnostic", {"report": [listed, computed]})[1] == {"proved": [{"card": "h100", "count": 2}]}
    for report in (
        [listed],
        [listed, rung(5, gpu_proved=False, devices=[{"device": "cpu"}])],
        [listed, rung(5, gpu_proved=True, devices=[{"device": "cuda:0"}])],
        [listed, rung(4, "failed"), computed],
        [rung(0, "failed", cards=[card])],
        [],
    ):
        assert host.post("diagnostic", {"report": report})[1] == {"proved": []}
    assert Host.objects.get(name=host.name).proved_at is not None
