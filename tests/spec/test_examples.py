"""The examples shipped: ready for another machine, with references that are those of their files."""

import hashlib
import importlib.util
from pathlib import Path

import pytest

from pilots.spec import archive, config, expected, manifest, preflight

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["documents", "resume"])
def test_the_preflight_finds_nothing(tmp_path: Path, name: str) -> None:
    with (tmp_path / "project.zip").open("wb") as file:
        archive.pack(EXAMPLES / name, file)
    assert preflight.check(tmp_path / "project.zip") == []


def test_twelve_documents_of_which_one_must_be_refused() -> None:
    folder = EXAMPLES / "documents"
    read = config.load(folder)
    items = manifest.freeze(folder, read)
    assert [item["id"] for item in items] == [f"doc-{number:02d}" for number in range(1, 13)]
    assert sorted([*expected.load(folder, read), *read.criteria.must_refuse]) == [item["id"] for item in items]
    whole = b"".join((folder / item["path"]).read_bytes() for item in items)
    assert read.references["data"].sha256 == hashlib.sha256(whole).hexdigest()
    sizes = sorted(len((folder / item["path"]).read_text(encoding="utf-8").split()) for item in items)
    assert sizes[:2] == [0, 16]
    assert sizes[-1] > 4000


def test_the_trainings_data_come_from_their_seed(tmp_path: Path) -> None:
    folder = EXAMPLES / "resume"
    read = config.load(folder)
    data = (folder / "data/pilote/items.jsonl").read_bytes()
    assert len(manifest.freeze(folder, read)) == read.criteria.items == 64
    assert read.references["data"].sha256 == hashlib.sha256(data).hexdigest()
    spec = importlib.util.spec_from_file_location("make_data", tmp_path / "src/make_data.py")
    (tmp_path / "src").mkdir()
    (tmp_path / "data/pilote").mkdir(parents=True)
    (tmp_path / "src/make_data.py").write_bytes((folder / "src/make_data.py").read_bytes())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    assert (tmp_path / "data/pilote/items.jsonl").read_bytes() == data
