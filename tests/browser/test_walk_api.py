"""The main job by the API alone: order, pay, receive, run the documents example, review, decide."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.browser.api import Api, pack
from tests.browser.house import ROOT, House

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def customer(house: House) -> Api:
    return Api(house.url, house.demo["customer"]["token"])


@pytest.fixture(scope="module")
def operator(house: House) -> Api:
    return Api(house.url, house.demo["operator"]["token"])


@pytest.fixture(scope="module")
def cpu_order(house: House, customer: Api, operator: Api) -> str:
    """An order for the CPU card, paid from the balance and delivered on this machine."""
    quote = customer.post("/quotes", {"card": "cpu", "days": 3, "lots": 1, "preparation": "ubuntu"})
    code = str(customer.post("/orders", {"quote": quote["id"]})["code"])
    assert customer.post(f"/orders/{code}/pay-from-balance")["state"] == "paid"
    refused = operator.post(f"/desk/orders/{code}/deliver", {"hosts": ["no-such-host"], "access": "x"}, status=409)
    assert refused["code"] == "cards_not_proved"
    delivered = operator.post(
        f"/desk/orders/{code}/deliver", {"hosts": [house.demo["host"]], "access": "ssh trial@this-machine"}
    )
    assert delivered["state"] == "delivered"
    return code


def test_a_crypto_order_is_paid_once_by_what_really_arrived(customer: Api, operator: Api) -> None:
    quote = customer.post("/quotes", {"card": "b200", "days": 7, "lots": 2, "preparation": "pytorch"})
    assert (quote["cards"], quote["total_cents"]) == (4, quote["unit_price_cents"] * 2)
    order = customer.post("/orders", {"quote": quote["id"]}, key="api-walk-b200")
    assert customer.post("/orders", {"quote": quote["id"]}, key="api-walk-b200") == order
    before = customer.get("/balance")["cents"]
    asked = customer.post(f"/orders/{order['code']}/payment-requests", {"network": "bitcoin", "asset": "BTC"})
    first = customer.post(f"/payment-requests/{asked['id']}/paid-notice")
    second = customer.post(f"/payment-requests/{asked['id']}/paid-notice")
    assert first == second
    assert first["confirms_receipt"] is False
    assert customer.get(f"/orders/{order['code']}")["state"] == "placed"
    assert customer.get("/balance")["cents"] == before

    receipt = {
        "network": "bitcoin", "transaction": "a" * 64, "output": 0, "address": asked["address"],
        "amount": "0.01", "evidence": "seen in a node of ours", "confirmed": True,
    }  # fmt: skip
    operator.post("/desk/receipts", receipt)
    operator.post("/desk/receipts", receipt)  # the same receipt again is the same receipt
    assert customer.get("/balance")["cents"] > before
    assert customer.get(f"/orders/{order['code']}")["state"] == "placed"
    rest = {**receipt, "transaction": "b" * 64, "amount": asked["amount"]}
    operator.post("/desk/receipts", rest)
    paid = customer.get(f"/orders/{order['code']}")
    assert paid["state"] == "paid"
    assert [move["new"] for move in paid["moves"]].count("paid") == 1


def test_the_documents_pilot_holds_and_its_evidence_can_be_verified_anywhere(
    customer: Api, cpu_order: str, tmp_path: Path
) -> None:
    project = customer.upload(pack(ROOT / "examples" / "documents"))
    assert not [finding for finding in project["preflight"] if finding["level"] == "error"]
    pilot = customer.post("/pilots", {"project": project["id"], "order": cpu_order, "title": "Documents"})
    run = customer.post(f"/pilots/{pilot['id']}/runs")
    row = customer.until_over(run["id"])
    assert (row["outcome"], row["stage"]) == ("completed", "verified"), row
    sheet = customer.get(f"/runs/{run['id']}/sheet")
    assert (sheet["declared"], sheet["accepted"], sheet["refused"], sheet["missing"]) == (12, 11, 1, [])
    assert sheet["holds"] is True
    items = customer.get(f"/runs/{run['id']}/items")["items"]
    assert [item["id"] for item in items if item["status"] == "refused"] == ["doc-12"]
    assert next(item["reason"] for item in items if item["id"] == "doc-12")

    customer.post(f"/runs/{run['id']}/items/doc-01/review", {"verdict": "right"})
    customer.post(f"/runs/{run['id']}/items/doc-12/review", {"verdict": "right", "note": "an empty scan"})

    evidence = tmp_path / "evidence.zip"
    evidence.write_bytes(customer.get(f"/runs/{run['id']}/evidence"))
    assert verify(evidence).returncode == 0
    forged, name = tmp_path / "forged.zip", change_one_byte(evidence, tmp_path / "forged.zip")
    answer = verify(forged)
    assert answer.returncode == 1
    assert name in answer.stdout + answer.stderr

    digest = row["evidence_sha256"]
    refused = customer.post(
        f"/pilots/{pilot['id']}/decisions",
        {"choice": "launch", "reason": "x", "evidence_sha256": "0" * 64},
        status=409,
    )
    assert refused["code"] == "evidence_unknown"
    decision = customer.post(
        f"/pilots/{pilot['id']}/decisions",
        {"choice": "launch", "reason": "All criteria met; the refusal is right.", "evidence_sha256": digest},
    )
    assert decision["choice"] == "launch"


def verify(path: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pilots.host.cli", "verify", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def change_one_byte(source: Path, target: Path) -> str:
    """A copy of the zip in which one byte of the results differs; the changed file's name."""
    changed = ""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            data: Any = old.read(entry)
            if entry.filename.endswith("data/results.jsonl"):
                data = data[:20] + bytes([data[20] ^ 1]) + data[21:]
                changed = "results.jsonl"
            new.writestr(entry, data)
    assert changed
    return changed
