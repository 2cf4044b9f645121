"""Criteria: met, missed and not measured, for documents and for trainings."""

from typing import Any

import pytest

from pilots.spec.config import from_dict
from pilots.spec.criteria import Measured, judge, passed
from pilots.spec.reasons import REASONS, reason
from pilots.spec.sheet import Sheet
from tests.spec.projects import changed

DOCUMENTS = from_dict(changed(criteria__max_gpu_memory_gb=2, criteria__min_agreement=0.5))
ACCEPTED = b'{"id": "doc-%d", "status": "accepted", "category": "invoice"}'
REFUSED = b'{"id": "doc-3", "status": "refused", "reason": "blank"}'
ANSWERS = {"doc-1": "invoice", "doc-2": "letter"}


def sheet(*lines: bytes) -> dict[str, Any]:
    found = Sheet(["doc-1", "doc-2", "doc-3"], DOCUMENTS, ANSWERS)
    for number, line in enumerate(lines, 1):
        found.feed(number, line)
    return dict(found.as_dict())


def words(*arguments: Any) -> dict[str, str]:
    return {row.code: row.verdict for row in judge(*arguments)}


def test_documents_that_meet_all() -> None:
    whole = sheet(ACCEPTED % 1, ACCEPTED % 2, REFUSED)
    verdicts = judge(DOCUMENTS, whole, {"minutes": 4.0, "peak_gpu_memory_bytes": 2**31})
    assert [(row.code, row.verdict) for row in verdicts] == [
        (code, "met")
        for code in (
            "items",
            "sheet_holds",
            "categories",
            "must_refuse",
            "min_agreement",
            "max_minutes",
            "max_gpu_memory_gb",
        )
    ]
    assert passed(verdicts)


def test_documents_that_miss() -> None:
    short = sheet(ACCEPTED % 2, ACCEPTED % 3)
    assert words(DOCUMENTS, short, {"minutes": 6.0, "peak_gpu_memory_bytes": 2**31 + 1}) == {
        "items": "met", "sheet_holds": "missed", "categories": "met", "must_refuse": "missed",
        "min_agreement": "missed", "max_minutes": "missed", "max_gpu_memory_gb": "missed",
    }  # fmt: skip


def test_what_was_not_measured_is_never_met() -> None:
    verdicts = judge(DOCUMENTS, None, {"minutes": None})
    assert {row.verdict for row in verdicts} == {"not_measured"}
    assert not passed(verdicts)
    nothing_expected = Sheet(["doc-1"], DOCUMENTS).as_dict()
    assert words(DOCUMENTS, nothing_expected, {})["min_agreement"] == "not_measured"


@pytest.mark.parametrize("lines", [(), (REFUSED,)])
def test_categories_are_not_measured_where_nothing_was_accepted(lines: tuple[bytes, ...]) -> None:
    assert words(DOCUMENTS, sheet(*lines), {})["categories"] == "not_measured"


def test_limits_that_were_not_fixed_are_not_judged() -> None:
    free = from_dict(changed(criteria={"items": 3, "categories": ["a"]}))
    assert [row.code for row in judge(free, sheet(), {})] == ["items", "sheet_holds", "categories"]


TRAINING = from_dict(
    changed(kind="training", criteria={"items": 8, "min_updates": 20}, resume={"interrupt_at": 10, "until": 20})
)
GOOD: Measured = {
    "items_read": 8, "updates": 20, "checkpoints": 4, "checkpoint_loads": True,
    "resume": {"completed": True, "largest_difference": 0.0, "first_difference": None},
}  # fmt: skip


@pytest.mark.parametrize(
    ("spoiled", "code", "word"),
    [
        ({}, "", ""),
        ({"items_read": 7}, "items", "missed"),
        ({"items_read": None}, "items", "not_measured"),
        ({"updates": 19}, "min_updates", "missed"),
        ({"checkpoint_loads": False}, "checkpoint_loads", "missed"),
        ({"checkpoint_loads": None}, "checkpoint_loads", "not_measured"),
        ({"resume": None}, "resume", "not_measured"),
        ({"resume": {"completed": False}}, "resume", "missed"),
        ({"resume": {"completed": True, "largest_difference": 1e-9}}, "resume", "missed"),
        (
            {"resume": {"completed": True, "largest_difference": None, "first_difference": "head.weight"}},
            "resume",
            "missed",
        ),
    ],
)
def test_trainings(spoiled: dict[str, Any], code: str, word: str) -> None:
    measured: Any = {**GOOD, **spoiled}
    wanted = dict.fromkeys(["items", "min_updates", "checkpoint_written", "checkpoint_loads", "resume"], "met")
    assert words(TRAINING, None, measured) == {**wanted, **({code: word} if code else {})}


def test_a_training_without_checkpoints() -> None:
    found = words(TRAINING, None, {**GOOD, "checkpoints": 0, "checkpoint_loads": None})
    assert (found["checkpoint_written"], found["checkpoint_loads"]) == ("missed", "missed")


def test_reasons_are_whole() -> None:
    assert all(row.code == code and row.sentence.endswith(".") for code, row in REASONS.items())
    assert all((row.fault is None) == (row.outcome in ("completed", "cancelled")) for row in REASONS.values())
    assert (reason("never heard of").fault, reason("never heard of").outcome) == ("platform", "failed")
