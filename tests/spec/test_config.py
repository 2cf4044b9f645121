"""config/pilote.json: what passes, and the messages of what does not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilots.spec import config, frozen
from pilots.spec.command import fill
from tests.spec.projects import CONFIG, changed, text


def problems(value: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row.code, row.path) for row in config.check(text(value))[1]]


def without(*keys: str) -> dict[str, Any]:
    value = changed()
    for key in keys:
        place, _, inner = key.rpartition(".")
        (value[place] if place else value).pop(inner)
    return value


def test_a_good_one() -> None:
    read = config.parse(text())
    assert (read.kind, read.criteria.items, read.criteria.must_refuse) == ("documents", 3, ("doc-3",))
    assert read.references["model"].version == "1"
    assert read.raw == CONFIG
    assert config.from_dict(read.raw) == read


@pytest.mark.parametrize("name", ["documents", "resume"])
def test_the_examples(name: str) -> None:
    assert config.load(Path(__file__).parents[2] / "examples" / name).raw["schema"] == "kernodeck/pilot/1"


TRAIN = ["python", "a.py", "{output}", "{checkpoint}", "{until_step}"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (without("kind"), [("config_missing_key", "$.kind")]),
        (without("criteria.items"), [("config_missing_key", "$.criteria.items")]),
        (without("criteria.categories"), [("config_missing_key", "$.criteria.categories")]),
        (changed(schema="kernodeck/pilot/2"), [("config_choice", "$.schema")]),
        (changed(kind="document"), [("config_choice", "$.kind")]),
        (changed(backend="metal"), [("config_choice", "$.backend")]),
        (changed(command="python a.py"), [("config_type", "$.command")]),
        (changed(command=[]), [("config_value", "$.command")]),
        (changed(command=["python", 3]), [("config_type", "$.command[1]")]),
        (changed(command=["python", "{input}"]), [("config_placeholder", "$.command[1]")]),
        (changed(inputs="/data"), [("config_path", "$.inputs")]),
        (changed(inputs="data/../.."), [("config_path", "$.inputs")]),
        (changed(inputs="C:\\data"), [("config_path", "$.inputs")]),
        (changed(criteria__items=0), [("config_value", "$.criteria.items")]),
        (changed(criteria__items=True), [("config_type", "$.criteria.items")]),
        (changed(criteria__items="12"), [("config_type", "$.criteria.items")]),
        (changed(criteria__items=1.5), [("config_type", "$.criteria.items")]),
        (changed(criteria__min_agreement=80), [("config_value", "$.criteria.min_agreement")]),
        (changed(criteria__categories=["a", "a"]), [("config_repeated", "$.criteria.categories")]),
        (changed(criteria__must_refuse=["a", "b", "c", "d"]), [("config_value", "$.criteria.must_refuse")]),
        (changed(criteria__max_minutes=0), [("config_value", "$.criteria.max_minutes")]),
        (changed(references={"m": {"name": "x", "sha256": "abc"}}), [("config_pattern", "$.references.m.sha256")]),
        (
            changed(references={"m": {"nmae": "x"}}),
            [("config_unknown_key", "$.references.m.nmae"), ("config_missing_key", "$.references.m.name")],
        ),
        (changed(extensions=["flash attn"]), [("config_pattern", "$.extensions[0]")]),
        (changed(resume={"interrupt_at": 1, "until": 2}), [("config_resume", "$.resume")]),
        (
            changed(kind="training", criteria={"items": 1}, command=TRAIN, resume={"interrupt_at": 9, "until": 3}),
            [("config_resume", "$.resume.interrupt_at")],
        ),
        (
            changed(kind="training", criteria={"items": 1}, command=TRAIN[:4], resume={"interrupt_at": 1, "until": 3}),
            [("config_resume", "$.command")],
        ),
    ],
)  # fmt: skip
def test_problems_are_named(value: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert sorted(problems(value)) == sorted(found)


def test_unknown_keys_get_a_hint_and_their_line() -> None:
    value = changed()
    value["criteria"]["must_refuze"] = value["criteria"].pop("must_refuse")
    (problem,) = config.check(text(value))[1]
    assert (problem.code, problem.path) == ("config_unknown_key", "$.criteria.must_refuze")
    assert problem.hint == "Did you mean “must_refuse”?"
    assert text(value).splitlines()[problem.line - 1].strip().startswith(b'"must_refuze"')


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "config_not_json", 1),
        (b'{\n"a": 1,\n}', "config_not_json", 3),
        (b"{\n// comment\n}", "config_not_json", 2),
        (b'{"a": NaN}', "config_not_json", 1),
        (b'{"a": "\xff"}', "config_not_utf8", 1),
        (b"[" * 50_000, "config_not_json", 1),
        (b'{"schema":\n' + b'{"a":' * 100 + b"1" + b"}" * 101, "config_not_json", 1),
        (b'{\n"kind": "documents",\n"kind": "training"}', "config_repeated_key", 3),
        (b" " * (config.MAX_BYTES + 1), "config_too_large", 1),
        (b"[]", "config_type", 1),
    ],
)
def test_texts_that_cannot_be_read(data: bytes, code: str, line: int) -> None:
    read, found = config.check(data)
    assert read is None
    assert (code, line) in [(row.code, row.line) for row in found]


def test_a_byte_order_mark_is_no_problem() -> None:
    assert config.check(b"\xef\xbb\xbf" + text())[1] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**9) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys([*CONFIG, "other"], VALUES)), st.sampled_from([None, 2]))
def test_any_json_is_judged_without_failing(spoiled: dict[str, Any], indent: int | None) -> None:
    data = json.dumps({**CONFIG, **spoiled}, indent=indent).encode()
    read, found = config.check(data)
    assert (read is None) == bool(found)
    assert all(1 <= row.line <= data.count(b"\n") + 1 for row in found)
    if read is not None:
        assert len(frozen.sha(frozen.freeze(read, [], "0" * 64))) == 64


def test_placeholders_are_filled() -> None:
    values = {"inputs": "/in", "until_step": "10"}
    assert fill(["a", "--x={inputs}", "{checkpoint}", "{until_step}", '{"json": 1}', "{other}"], values) == [
        "a", "--x=/in", "", "10", '{"json": 1}', "{other}",
    ]  # fmt: skip
