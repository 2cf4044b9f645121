"""The balance sheet against a ten-line model, and on lines that programs really leave behind."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pilots.spec.config import from_dict
from pilots.spec.lines import MAX_LINE, LineFeed, numbered
from pilots.spec.results import MALFORMED, read_line
from pilots.spec.sheet import Sheet, holds
from pilots.spec.words import Item
from tests.spec.projects import changed

CONFIG = from_dict(changed(criteria__categories=["invoice", "letter"], criteria__must_refuse=["c"]))
IDS = ["a", "b", "c", "dé", "e-5", "日本", "g"]


def item(identity: str) -> Item:
    return {"id": identity, "path": f"data/pilote/{identity}.txt", "size": 1, "sha256": "0" * 64}


def line(identity: str, **rest: Any) -> bytes:
    return json.dumps({"id": identity, **rest}, ensure_ascii=False).encode()


GOOD = line("a", status="accepted", category="invoice")


def model(ids: list[str], lines: Iterable[bytes]) -> dict[str, Any]:
    """The sheet as one would write it on a napkin."""
    first: dict[str, Any] = {}
    doubled, invented, malformed = set(), [], []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw)
            identity, status = row["id"], row["status"]
            assert isinstance(identity, str)
            assert status in ("accepted", "refused")
        except Exception:
            malformed.append(number)
            continue
        if identity not in ids:
            invented.append(identity)
        elif identity in first:
            doubled.add(identity)
        else:
            first[identity] = row
    accepted = [i for i in ids if first.get(i, {}).get("status") == "accepted"]
    refused = [i for i in ids if first.get(i, {}).get("status") == "refused"]
    found: dict[str, Any] = {
        "declared": len(ids), "accepted": len(accepted), "refused": len(refused),
        "missing": [i for i in ids if i not in first], "duplicated": [i for i in ids if i in doubled],
        "invented": list(dict.fromkeys(invented)),
        "bad_category": [i for i in accepted if first[i].get("category") not in ("invoice", "letter")],
        "without_reason": [i for i in refused if not str(first[i].get("reason") or "").strip()],
        "malformed_lines": malformed, "must_refuse_accepted": [i for i in accepted if i == "c"],
    }  # fmt: skip
    flaws = [key for key, value in found.items() if isinstance(value, list) and value]
    return {**found, "holds": not flaws and "c" in ids and bool(ids)}


ROW = st.builds(
    line,
    st.sampled_from([*IDS, "stranger", "x"]),
    status=st.sampled_from(["accepted", "refused", "refused", "accepted", "done", None]),
    category=st.sampled_from(["invoice", "letter", "invoice", "poem", None]),
    reason=st.sampled_from(["no text", "", " ", None, "scan"]),
    margin=st.floats(allow_nan=False, allow_infinity=False, width=32),
)
OTHER = st.sampled_from(
    [b"", b"  ", b"{", b"[]", b"null", b'"a"', b"\xff\xfe", b'{"id": "a"}', b'{"id": 3, "status": "accepted"}']
)


@settings(max_examples=300, deadline=None)
@given(ids=st.lists(st.sampled_from(IDS), unique=True), rows=st.lists(st.one_of(ROW, ROW, ROW, OTHER), max_size=30))
def test_against_the_model(ids: list[str], rows: list[bytes]) -> None:
    sheet = Sheet.build([item(identity) for identity in ids], rows, CONFIG).as_dict()
    wanted = model(ids, rows)
    assert {key: sheet[key] for key in wanted} == wanted  # type: ignore[literal-required]
    assert sheet["accepted"] + sheet["refused"] + len(sheet["missing"]) == sheet["declared"]
    assert holds(sheet) or not sheet["holds"]


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.one_of(ROW, OTHER), max_size=20),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=20),
    end=st.sampled_from([b"", b"\n", b"\r\n"]),
    newline=st.sampled_from([b"\n", b"\r\n"]),
)
def test_blocks_may_be_cut_anywhere(
    rows: list[bytes],
    cuts: list[int],
    end: bytes,
    newline: bytes,
) -> None:
    data = b"\xef\xbb\xbf" + newline.join(rows) + end
    pieces, at = [], 0
    while at < len(data):
        size = cuts[len(pieces) % len(cuts)]
        pieces.append(data[at : at + size])
        at += size
    fed = Sheet(IDS, CONFIG)
    for number, raw in numbered(pieces):
        fed.feed(number, raw)
    assert fed.as_dict() == Sheet.build([item(identity) for identity in IDS], data.split(b"\n"), CONFIG).as_dict()


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.one_of(ROW, OTHER, st.binary(max_size=60)), max_size=30),
    size=st.sampled_from([1, 7, 60, 200, 500, 10_000]),
)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "invoice", "id": "b"}', b""], size=10_000)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "invoice", "margin": 01}', b""], size=10_000)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "invoice", "margin": 1e999}', b""], size=10_000)
@example(rows=[b"", b'{"id": "de\xcc\x81", "status": "accepted", "category": "invoice"}', b""], size=10_000)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "invoice\xff"}', b""], size=10_000)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "in\tvoice"}', b""], size=10_000)
@example(rows=[b"", b'{"id": "a", "status": "accepted", "category": "invoice"},', b'{"id": "b"}', b""], size=10_000)
def test_a_file_in_blocks_gives_the_sheet_of_its_lines(rows: list[bytes], size: int) -> None:
    data, expected = b"\n".join(rows), {"a": "invoice", "b": "letter"}
    fast = Sheet(IDS, CONFIG, expected)
    fast.feed_blocks(data[at : at + size] for at in range(0, len(data), size))
    assert fast.as_dict() == Sheet.build(map(item, IDS), data.split(b"\n"), CONFIG, expected).as_dict()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\0" * 80, "nul"),
        (GOOD[:-1] + b"\0}", "nul"),
        (b"\xff\xfe" + GOOD, "not_utf8"),
        (b"\xef\xbb\xbf" + GOOD, "not_json"),  # a mark in the middle of a file; number 2
        (GOOD[:-3], "not_json"),
        (GOOD + GOOD, "not_json"),
        (b"Traceback (most recent call last):", "not_json"),
        (b"[1]", "not_object"),
        (b"3", "not_object"),
        (b"{}", "id_missing"),
        (b'{"id": 7, "status": "accepted"}', "id_not_text"),
        (b'{"id": null, "status": "accepted"}', "id_not_text"),
        (b'{"id": "a"}', "status_missing"),
        (b'{"id": "a", "status": "ACCEPTED"}', "status_unknown"),
        (b'{"id": "a", "status": ["accepted"]}', "status_unknown"),
        (GOOD[:-1] + b', "margin": NaN}', "bad_number"),
        (GOOD[:-1] + b', "margin": -Infinity}', "bad_number"),
        (GOOD[:-1] + b', "margin": 1e999}', "bad_number"),
        (GOOD[:-1] + b', "n": ' + b"9" * 5000 + b"}", "bad_number"),
        (GOOD[:-1] + b', "t": "\\u0000"}', "bad_text"),
        (GOOD[:-1] + b', "t": ["\\ud800"]}', "bad_text"),
        (GOOD[:-1] + b', "\\udfff": 1}', "bad_text"),
        (GOOD[:-1] + b', "t": ' + b"[" * 200 + b"]" * 200 + b"}", "too_deep"),
        (b"[" * 100_000, "too_deep"),
        (GOOD[:-1] + b', "t": "' + b"x" * MAX_LINE + b'"}', "too_long"),
    ],
)
def test_malformed_lines_are_named(data: bytes, code: str) -> None:
    sheet = Sheet(["a"], CONFIG)
    told = sheet.feed(2, data)
    assert (told.kind, told.line.code, told.counted) == ("malformed", code, False)
    assert sheet.as_dict()["malformed"] == [{"line": 2, "code": code}]
    assert code in MALFORMED
    assert sheet.missing() == ["a"]


@pytest.mark.parametrize(
    "data",
    [
        GOOD,
        GOOD + b"\n",
        GOOD + b"\r\n",
        b"  " + GOOD,
        b"\xef\xbb\xbf" + GOOD + b"\r\n",
        GOOD[:-1] + b', "e": "\\ud83d\\ude00"}',
        GOOD[:-1] + b', "s": "a\\\\u0000b"}',
        GOOD[:-1] + b', "n": 1e99, "l": [[1], {"a": {}}]}',
    ],
)
def test_good_lines_in_many_dresses(data: bytes) -> None:
    told = Sheet(["a"], CONFIG).feed(1, data)
    assert (told.kind, told.counted, told.line.id, told.line.category) == ("accepted", True, "a", "invoice")


def test_ids_are_compared_composed() -> None:
    sheet = Sheet(["dé"], CONFIG)
    assert sheet.feed(1, line("de\u0301", status="accepted", category="letter")).counted
    assert sheet.feed(2, line("dé", status="accepted", category="letter")).kind == "duplicated"


def test_huge_lines_stay_small_and_keep_the_count() -> None:
    feed = LineFeed()
    found = [row for _ in range(40) for row in feed.push(b"x" * 1_000_000)]
    found += [*feed.push(b"\n" + GOOD + b"\n"), *feed.end()]
    assert [(number, len(data)) for number, data in found] == [(1, MAX_LINE + 1), (2, len(GOOD))]
    assert read_line(found[0][1]).code == "too_long"


def test_expected_refusals_and_agreement() -> None:
    expected = {"a": "invoice", "b": "letter", "g": "letter"}
    sheet = Sheet(["a", "b", "c", "g"], CONFIG, expected)
    for number, raw in enumerate([
        line("a", status="accepted", category="invoice"),
        line("b", status="accepted", category="invoice"),
        line("c", status="accepted", category="letter"),
        line("b", status="accepted", category="letter"),  # too late: the first line counts
    ], 1):  # fmt: skip
        sheet.feed(number, raw)
    told = sheet.as_dict()
    assert told["must_refuse_accepted"] == ["c"]
    assert told["must_refuse"] == {"expected": ["c"], "refused": [], "accepted": ["c"], "missing": [], "undeclared": []}
    assert told["agreement"] == {"expected": 3, "agreed": 1, "share": 1 / 3, "disagreements": ["b"]}
    assert told["categories"] == {"invoice": 2, "letter": 1}
    assert (told["missing"], told["duplicated"], told["holds"]) == (["g"], ["b"], False)


def test_reasons_are_grouped() -> None:
    sheet = Sheet(["a", "b", "c"], CONFIG)
    for number, (identity, reason) in enumerate([("a", "scan"), ("b", "empty"), ("c", "scan")], 1):
        sheet.feed(number, line(identity, status="refused", reason=reason))
    assert sheet.as_dict()["reasons"] == {"scan": 2, "empty": 1}
    assert sheet.as_dict()["holds"]


def test_strays_are_listed_up_to_a_limit_and_counted_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pilots.spec.sheet.MAX_LISTED", 3)
    sheet = Sheet(["a"], CONFIG)
    for number in range(1, 11):
        sheet.feed(number, line(f"s{number}", status="refused", reason="x") if number % 2 else b"broken")
    told = sheet.as_dict()
    assert (told["invented"], told["invented_lines"]) == (["s1", "s3", "s5"], 5)
    assert (told["malformed_lines"], told["malformed_count"]) == ([2, 4, 6], 5)


def test_no_results_file_is_an_empty_sheet(tmp_path: Path) -> None:
    told = Sheet.of_file([item("a")], tmp_path / "none.jsonl", CONFIG).as_dict()
    assert (told["missing"], told["lines"], told["holds"]) == (["a"], 0, False)
