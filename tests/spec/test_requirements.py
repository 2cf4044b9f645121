"""requirements-rebuild.txt: what is pinned, what is not, and the calls of pip it gives."""

import pytest

from pilots.spec.requirements import Step, read, steps


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("torch==2.13.0", ""),
        ("torch == 2.13.0+cu126  # cuda", ""),
        ("Torch[all]===2.13.0 ; python_version > '3.10'", ""),
        ("numpy==1.0 --hash=sha256:" + "0" * 64, ""),
        ("x @ https://example.org/x.whl#sha256=" + "a" * 64, ""),
        ("git+https://example.org/x@" + "a" * 40, ""),
        ("torch", "pinned"),
        ("torch>=2", "pinned"),
        ("torch~=2.1", "pinned"),
        ("torch==2.*", "pinned"),
        ("torch==2.1,<3", "pinned"),
        ("x @ https://example.org/x.whl", "sha256"),
        ("git+https://example.org/x@main", "commit"),
        ("x @ file:///home/ann/x.whl", "elsewhere"),
        ("./x.whl", "elsewhere"),
        ("-e .", "folder"),
    ],
)
def test_pins(line: str, problem: str) -> None:
    (row,) = read(line + "\n").listed
    assert (problem in row.problem) if problem else row.problem == ""


def test_lines_that_go_on_and_comments() -> None:
    found = read("# from the index\n\nnumpy==1.0 \\\n  --hash=sha256:00 \\\n  --hash=sha256:11\ntorch==2  # why\n")
    assert [(row.name, row.version, row.line) for row in found.listed] == [("numpy", "1.0", 3), ("torch", "2", 6)]
    assert found.provenance


def test_what_the_libraries_point_to() -> None:
    assert read("torch==2.1\n").backend() == ("any", [])
    assert read("torch==2.1\nflash-attn==2.8\n").backend() == ("cuda", ["flash-attn"])
    assert read("torch==2.1+rocm6.3\n").backend() == ("rocm", ["torch"])


def test_steps_of_pip() -> None:
    text = "--index-url https://x\n# a\ntorch==2  # runs\nweights==1  # no-deps: only data\n"
    assert steps(text) == [
        Step("--index-url https://x\ntorch==2\n"),
        Step("--index-url https://x\nweights==1\n", ("--no-deps",)),
    ]
    assert steps("# nothing\n") == []
