"""The manifest of inputs, and the frozen spec."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilots.host import wire
from pilots.spec import config, frozen, manifest, words
from tests.spec.projects import make, text, write

CONFIG = config.parse(text())


def test_a_file_an_item(tmp_path: Path) -> None:
    write(make(tmp_path), "data/pilote/doc-10.txt", "ten")
    write(tmp_path, "data/pilote/.hidden", "x")
    items = manifest.freeze(tmp_path, CONFIG)
    assert [item["id"] for item in items] == ["doc-1", "doc-2", "doc-3", "doc-10"]
    assert items[0] == {
        "id": "doc-1",
        "path": "data/pilote/doc-1.txt",
        "size": 10,
        "sha256": hashlib.sha256(b"Invoice 12").hexdigest(),
    }


def test_rows_of_a_table(tmp_path: Path) -> None:
    write(tmp_path, "data/pilote/items.jsonl", '\ufeff{"id": "b", "x": 1}\r\n\n{"id": "a"}')
    items = manifest.freeze(tmp_path, CONFIG)
    assert [(item["id"], item["path"]) for item in items] == [
        ("b", "data/pilote/items.jsonl#1"),
        ("a", "data/pilote/items.jsonl#3"),
    ]
    assert items[1]["sha256"] == hashlib.sha256(b'{"id": "a"}').hexdigest()


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "inputs_missing"),
        ({"data/pilote/.keep": ""}, "inputs_empty"),
        ({"data/pilote/a.txt": "1", "data/pilote/a.pdf": "2"}, "id_repeated"),
        ({"data/pilote/x/a.txt": "1", "data/pilote/y/a.txt": "2"}, "id_repeated"),
        ({"data/pilote/de\u0301.txt": "1", "data/pilote/dé.md": "2"}, "id_repeated"),
        ({"data/pilote/items.jsonl": '{"id": "a"}\n{"id": "a"}'}, "id_repeated"),
        ({"data/pilote/items.jsonl": '{"id": "a"}', "data/pilote/b.txt": ""}, "inputs_mixed"),
        ({"data/pilote/items.jsonl": '{"id": 1}'}, "items_line"),
        ({"data/pilote/items.jsonl": "[1]"}, "items_line"),
        ({"data/pilote/items.jsonl": "{"}, "items_line"),
        ({"data/pilote/items.jsonl": '{"id": " "}'}, "id_unusable"),
        ({"data/pilote/items.jsonl": '{"id": "a\\nb"}'}, "id_unusable"),
        ({"data/pilote/items.jsonl": '{"id": "' + "x" * 201 + '"}'}, "id_unusable"),
        ({"data/pilote/items.jsonl": "\n\n"}, "inputs_empty"),
    ],
)
def test_what_cannot_be_frozen(tmp_path: Path, files: dict[str, str], code: str) -> None:
    for path, content in files.items():
        write(tmp_path, path, content)
    with pytest.raises(manifest.ManifestError) as error:
        manifest.freeze(tmp_path, CONFIG)
    assert error.value.code == code


def test_links_are_no_inputs(tmp_path: Path) -> None:
    (make(tmp_path) / "data/pilote/link.txt").symlink_to("/etc/passwd")
    with pytest.raises(manifest.ManifestError) as error:
        manifest.freeze(tmp_path, CONFIG)
    assert error.value.code == "inputs_link"


@given(st.lists(st.text("ab019-", max_size=6), unique=True))
def test_natural_order_is_an_order(names: list[str]) -> None:
    ordered = sorted(names, key=manifest.natural)
    ordered.reverse()
    assert sorted(ordered, key=manifest.natural) == sorted(names, key=manifest.natural)
    assert sorted(["d-10", "d-9", "d-09", "c"], key=manifest.natural) == ["c", "d-09", "d-9", "d-10"]


def test_the_specs_hash(tmp_path: Path) -> None:
    spec = frozen.freeze(CONFIG, manifest.freeze(make(tmp_path), CONFIG), "0" * 64)
    assert frozen.read(frozen.canonical(spec), frozen.sha(spec)) == spec
    write(tmp_path, "data/pilote/doc-1.txt", "Invoice 13")
    other = frozen.freeze(CONFIG, manifest.freeze(tmp_path, CONFIG), "0" * 64)
    assert frozen.sha(other) != frozen.sha(spec)
    with pytest.raises(ValueError, match="hash"):
        frozen.read(frozen.canonical(other), frozen.sha(spec))


def test_the_words_are_those_of_the_wire() -> None:
    assert wire.Item.__annotations__ == words.Item.__annotations__
    assert set(wire.FrozenSpec.__annotations__) == set(words.FrozenSpec.__annotations__)
