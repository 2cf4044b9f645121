"""Preflight on small faulty folders, each fault alone, and on healthy ones."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from pilots.spec import archive, limited, preflight
from tests.spec.projects import changed, make, text, write


def codes(folder: Path) -> set[str]:
    return {finding.code for finding in preflight.check(folder) if finding.level != "note"}


def test_healthy_folder_has_no_finding(tmp_path: Path) -> None:
    assert preflight.check(make(tmp_path)) == []


def test_healthy_archive_has_no_finding(tmp_path: Path) -> None:
    with (tmp_path / "project.zip").open("wb") as file:
        archive.pack(make(tmp_path / "project"), file)
    assert preflight.check(tmp_path / "project.zip") == []
    assert limited.findings(tmp_path / "project.zip") == []


def spoil(path: str, content: str | bytes) -> Callable[[Path], None]:
    return lambda folder: void(write(folder, path, content))


def config(**values: object) -> Callable[[Path], None]:
    return lambda folder: void(write(folder, "config/pilote.json", text(changed(**values))))


def remove(path: str) -> Callable[[Path], None]:
    return lambda folder: (folder / path).unlink()


def void(_: object) -> None:
    return None


TOKEN = "hf_" + "aB3" * 12
FAULTS: list[tuple[str, str, Callable[[Path], None]]] = [
    ("readme_missing", "README.md", remove("README.md")),
    ("readme_check", "README.md", spoil("README.md", "Install it, then launch it.")),
    ("readme_install", "README.md", spoil("README.md", "How to launch and verify.")),
    ("readme_launch", "README.md", spoil("README.md", "How to install and verify.")),
    ("requirements_missing", "requirements-rebuild.txt", remove("requirements-rebuild.txt")),
    ("requirement_unpinned", "requirements-rebuild.txt", spoil("requirements-rebuild.txt", "# index\nnumpy>=2\n")),
    ("requirement_unpinned", "requirements-rebuild.txt", spoil("requirements-rebuild.txt", "# index\nnumpy==2.*\n")),
    (
        "requirement_elsewhere",
        "requirements-rebuild.txt",
        spoil("requirements-rebuild.txt", "# x y z\n-e ../mine\nnumpy==2.1\n"),
    ),
    (
        "requirement_elsewhere",
        "requirements-rebuild.txt",
        spoil("requirements-rebuild.txt", "# x y z\n./w.whl\nnumpy==2.1\n"),
    ),
    (
        "requirement_elsewhere",
        "requirements-rebuild.txt",
        spoil("requirements-rebuild.txt", "# x y z\n-r base.txt\nnumpy==2.1\n"),
    ),
    ("requirements_provenance", "requirements-rebuild.txt", spoil("requirements-rebuild.txt", "numpy==2.1.0\n")),
    ("config_missing", "config/pilote.json", remove("config/pilote.json")),
    ("config_unknown_key", "config/pilote.json", config(bakend="any")),
    ("config_path", "config/pilote.json", config(inputs="../data")),
    ("config_placeholder", "config/pilote.json", config(command=["python", "src/main.py", "{output}", "{remainig}"])),
    ("secret", "config/pilote.json", config(parameters={"api_key": "Zm9vYmFy1234"})),
    ("secret", "src/main.py", spoil("src/main.py", f"TOKEN = '{TOKEN}'\n")),
    ("secret", "src/main.py", spoil("src/main.py", "DB = 'postgres://ann:s3cretword@db.example/x'\n")),
    ("secret", "data/pilote/doc-1.txt", spoil("data/pilote/doc-1.txt", f"use {TOKEN}\n")),
    ("secret_file", ".env", spoil(".env", "A=1\n")),
    ("home_path", "src/main.py", spoil("src/main.py", "MODEL = '/home/marie/model'\n")),
    ("home_path", "src/main.py", spoil("src/main.py", r"MODEL = r'C:\Users\marie\model'")),
    ("home_path", "src/main.py", spoil("src/main.py", "import os\nM = os.path.expanduser('~/m')\n")),
    ("absolute_path", "src/main.py", spoil("src/main.py", "MODEL = '/mnt/models/bert'\n")),
    ("absolute_path", "config/pilote.json", config(parameters={"model": "/workspace/model"})),
    ("inputs_missing", "data/other", config(inputs="data/other")),
    ("items_differ", "config/pilote.json", config(criteria__items=4)),
    ("must_refuse_unknown", "config/pilote.json", config(criteria__must_refuse=["doc-9"])),
    ("id_repeated", "data/pilote/doc-1.txt", spoil("data/pilote/doc-1.md", "x")),
    ("expected_category", "config/expected.json", spoil("config/expected.json", '{"doc-1": "poem"}')),
    ("expected_unknown", "config/expected.json", spoil("config/expected.json", '{"doc-7": "invoice"}')),
    ("expected_refused", "config/expected.json", spoil("config/expected.json", '{"doc-3": "invoice"}')),
    ("expected_missing", "config/expected.json", remove("config/expected.json")),
    ("src_missing", "src/", remove("src/main.py")),
    ("program_missing", "config/pilote.json", config(command=["python", "src/other.py", "{output}", "{remaining}"])),
    ("program_syntax", "src/main.py", spoil("src/main.py", "def x(:\n")),
    ("import_undeclared", "src/main.py", spoil("src/main.py", "import json\n\nimport scipy\n")),
    ("output_unused", "config/pilote.json", config(command=["python", "src/main.py", "{remaining}"])),
    ("runs_not_empty", "runs/1/results.jsonl", spoil("runs/1/results.jsonl", "{}\n")),
    ("notebook_checkpoint", "src/.ipynb_checkpoints", spoil("src/.ipynb_checkpoints/a-checkpoint.py", "x = 1")),
    ("pointer", "src/model.bin", spoil("src/model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")),
    ("file_elsewhere", "config/pilote.json", config(parameters={"labels": "models/labels.json"})),
    ("pickle", "src/model.pkl", spoil("src/model.pkl", b"\x80\x04")),
    ("revision_missing", "config/pilote.json", config(revision=None)),
    ("references_missing", "config/pilote.json", config(references={})),
    ("reference_without_hash", "config/pilote.json", config(references={"model": {"name": "bert"}})),
    ("link", "src/link.py", lambda folder: (folder / "src/link.py").symlink_to("/etc/passwd")),
    ("name_reserved", "src/aux.py", spoil("src/aux.py", "x = 1")),
]


@pytest.mark.parametrize(("code", "path", "fault"), FAULTS, ids=[f"{row[0]}-{i}" for i, row in enumerate(FAULTS)])
def test_a_fault_is_named(tmp_path: Path, code: str, path: str, fault: Callable[[Path], None]) -> None:
    fault(make(tmp_path))
    found = [finding for finding in preflight.check(tmp_path) if finding.code == code]
    assert [finding.path for finding in found] == [path]
    assert TOKEN not in str(found)
    assert "s3cretword" not in str(found)


def test_lines_are_named(tmp_path: Path) -> None:
    make(tmp_path)
    write(tmp_path, "src/main.py", "import json\n\n\nimport scipy\nM = '/home/marie/m'\n")
    found = {finding.code: finding.line for finding in preflight.check(tmp_path)}
    assert (found["import_undeclared"], found["home_path"]) == (4, 5)


def test_a_refused_archive_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "project.zip").write_bytes(b"not a zip at all")
    for found in (preflight.check(tmp_path / "project.zip"), limited.findings(tmp_path / "project.zip")):
        assert [(row.code, row.level) for row in found] == [("archive_not_an_archive", "error")]


def test_what_is_no_secret(tmp_path: Path) -> None:
    make(tmp_path)
    write(
        tmp_path,
        "src/main.py",
        'pad_token = "[PAD]"\ntoken = "<your token>"\nmax_tokens = 4096\npassword = "{{ secret }}"\n',
    )
    assert preflight.check(tmp_path) == []


def test_packing_leaves_out_what_is_rebuilt(tmp_path: Path) -> None:
    make(tmp_path)
    write(tmp_path, "src/__pycache__/main.pyc", b"\0")
    write(tmp_path, ".git/config", "[core]")
    write(tmp_path, "runs/1/out.txt", "x")
    packed = list(archive.packed_files(tmp_path))
    assert not [path for path in packed if path.startswith((".git/", "runs/")) or "__pycache__" in path]
    first, second = io.BytesIO(), io.BytesIO()
    assert archive.pack(tmp_path, first) == archive.pack(tmp_path, second) == archive.digest_of(tmp_path)
    assert first.getvalue() == second.getvalue()
