"""Programs that go wrong, processes killed at the worst moment: the page says what happened, nothing is doubled."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest
import urllib3
from playwright.sync_api import Page

from tests.browser.api import Api, pack
from tests.browser.broken import IDS, project
from tests.browser.house import House
from tests.browser.people import sign_in

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def api(house: House) -> Api:
    return Api(house.url, house.demo["customer"]["token"])


@pytest.fixture(scope="module")
def order(house: House, api: Api) -> str:
    quote = api.post("/quotes", {"card": "cpu", "days": 3, "lots": 1, "preparation": "ubuntu"})
    code = str(api.post("/orders", {"quote": quote["id"]})["code"])
    api.post(f"/orders/{code}/pay-from-balance")
    operator = Api(house.url, house.demo["operator"]["token"])
    operator.post(f"/desk/orders/{code}/deliver", {"hosts": [house.demo["host"]], "access": "ssh trial@this-machine"})
    return code


def start(api: Api, order: str, folder: Path) -> str:
    uploaded = api.upload(pack(folder))
    pilot = api.post("/pilots", {"project": uploaded["id"], "order": order, "title": folder.name})
    return str(api.post(f"/pilots/{pilot['id']}/runs")["id"])


CASES: dict[str, dict[str, list[str]]] = {
    "exit": {"missing": IDS[5:]},
    "invent": {"invented": ["warmup"]},
    "twice": {"duplicated": [IDS[2]]},
    "swallow": {"missing": [IDS[3]]},
}


@pytest.mark.parametrize("fault", CASES)
def test_a_broken_program_does_not_hold_and_its_page_says_why(
    fault: str, house: House, api: Api, order: str, page: Page, tmp_path: Path
) -> None:
    run = start(api, order, project(tmp_path / f"broken-{fault}", fault))
    row = api.until_over(run)
    sheet = api.get(f"/runs/{run}/sheet")
    expected = CASES[fault]
    assert sheet["holds"] is False
    for name in ("missing", "invented", "duplicated"):
        assert sheet[name] == expected.get(name, []), (name, sheet)
    assert row["outcome"] == ("failed" if fault == "exit" else "completed")
    if fault == "exit":
        assert row["fault"] == "project"
        assert "the model file is gone" in row["first_error"]["text"]

    sign_in(page, house.demo["customer"])
    page.goto(f"/runs/{run}")
    state = page.locator(".state").inner_text()
    assert "does not hold" in state.lower() or "did not" in state.lower() or "failed" in state.lower(), state
    text = page.locator("main").inner_text()
    for name in ("missing", "invented", "duplicated"):
        for item in expected.get(name, []):
            assert item in text
    first = page.locator("section[aria-labelledby=first-error]").inner_text()
    assert "Stage: “processing”" in first, first
    assert "the project" in first.lower(), "whose fault it is"
    if fault == "exit":
        assert "the model file is gone" in page.locator(".log li.first").inner_text()


def wait_for_lines(api: Api, run: str, count: int) -> None:
    end = time.monotonic() + 90
    while True:
        counts = api.get(f"/runs/{run}")["counts"]
        if counts["accepted"] + counts["refused"] >= count:
            return
        assert time.monotonic() < end, counts
        time.sleep(0.3)


def test_killing_the_agents_worker_ends_no_run_and_doubles_nothing(
    house: House, api: Api, order: str, tmp_path: Path
) -> None:
    run = start(api, order, project(tmp_path / "slow-a", pause=1.5))
    wait_for_lines(api, run, 2)
    workers = house.processes("pilots.host.worker")
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    row = api.until_over(run)
    sheet = api.get(f"/runs/{run}/sheet")
    assert row["outcome"] == "completed"
    assert (sheet["accepted"], sheet["refused"], sheet["missing"], sheet["duplicated"]) == (7, 1, [], [])
    # The agent came back: another run is carried out.
    again = api.until_over(start(api, order, project(tmp_path / "after")))
    assert again["outcome"] == "completed"


def answers_within(api: Api, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(urllib3.exceptions.HTTPError, AssertionError):
            api.get("/balance")
            return True
        time.sleep(0.2)
    return False


def test_killing_the_pages_is_mended_by_up_and_the_run_goes_on(
    house: House, api: Api, order: str, tmp_path: Path
) -> None:
    run = start(api, order, project(tmp_path / "slow-b", pause=1.5))
    wait_for_lines(api, run, 2)
    pids = house.processes("granian")
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert answers_within(api, 30)
    row = api.until_over(run)
    sheet = api.get(f"/runs/{run}/sheet")
    assert row["outcome"] == "completed"
    assert (sheet["accepted"], sheet["refused"], sheet["missing"], sheet["duplicated"]) == (7, 1, [], [])
    assert sheet["holds"] is True
