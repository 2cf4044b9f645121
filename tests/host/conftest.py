"""What the host's tests share. None of them needs Django."""

import os
from pathlib import Path

import pytest

from pilots.host import sandbox


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Environments are made once for all tests."""
    return tmp_path_factory.mktemp("environments")


@pytest.fixture(params=["bubblewrap", "process"])
def each_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same test in both sandboxes; bubblewrap only where this machine gives it."""
    sandbox._bubblewrap_works.cache_clear()
    if request.param == "process":
        monkeypatch.setenv("KERNODECK_SANDBOX", "process")
    elif sandbox.kind() != "bubblewrap":
        pytest.skip("no bubblewrap on this machine")
    yield request.param
    sandbox._bubblewrap_works.cache_clear()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_named(word: str) -> list[int]:
    """Processes of this machine whose command line holds a word."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if word.encode() in Path(f"/proc/{name}/cmdline").read_bytes() and alive(int(name)):
                    found.append(int(name))
            except OSError:
                continue
    return found
