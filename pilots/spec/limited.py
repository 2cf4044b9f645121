"""An archive is read in a process of its own: whatever it does to its reader, it does it within limits.

`python -m pilots.spec.limited check|repack|unpack|preflight ARCHIVE [TARGET]` answers one JSON line.
"""

import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pilots.spec import archive, preflight
from pilots.spec.findings import Finding
from pilots.spec.names import Refused

SECONDS: Final = 900
MEMORY: Final = 2 * 1024**3


def check(path: Path, *, seconds: int = SECONDS) -> archive.Content:
    """`archive.check` in a limited process; raises Refused."""
    return archive.Content(**_call(seconds, "check", path))


def unpack(path: Path, target: Path, *, seconds: int = SECONDS) -> archive.Content:
    """`archive.unpack` in a limited process; raises Refused."""
    return archive.Content(**_call(seconds, "unpack", path, target))


def repack(path: Path, target: Path, *, for_host: bool = False, seconds: int = SECONDS) -> str:
    """`archive.repack` (or `for_host`) into a new file, in a limited process; the hash of what was written."""
    return str(_call(seconds, "for_host" if for_host else "repack", path, target)["sha256"])


def findings(path: Path, *, seconds: int = SECONDS) -> list[Finding]:
    """`preflight.check` of an archive in a limited process; a refused archive is a finding too."""
    return [Finding(**row) for row in _call(seconds, "preflight", path)["findings"]]


def _call(seconds: int, act: str, *paths: Path) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "pilots.spec.limited", act, *(str(path.resolve()) for path in paths)]
    home = str(Path(__file__).resolve().parents[2])
    # neither the caller's secrets nor its path: the child needs this package and the installed libraries only
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV") if key in os.environ}
    environment = {**kept, "PYTHONPATH": home, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Refused("too_slow", f"The archive could not be read within {seconds} seconds.") from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise Refused("reader_failed", "The archive made its reader fail.") from error
    if "refused" in answer:
        raise Refused(*answer["refused"])
    return answer


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (archive.Limits().unpacked_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _act(act: str, path: Path, target: Path | None) -> dict[str, Any]:
    if act == "check":
        return asdict(archive.check(path))
    if act == "preflight":
        return {"findings": [asdict(finding) for finding in preflight.check(path)]}
    if target is None:
        raise ValueError("a target is needed")
    if act == "unpack":
        return asdict(archive.unpack(path, target))
    write = archive.for_host if act == "for_host" else archive.repack
    with target.open("xb") as file:
        return {"sha256": write(path, file)}


def main(arguments: list[str]) -> int:
    _limit()
    act, path, *rest = arguments
    try:
        answer = _act(act, Path(path), Path(rest[0]) if rest else None)
    except Refused as refused:
        answer = {"refused": [refused.code, refused.message, refused.member]}
    except MemoryError:
        answer = {"refused": ["reader_failed", "The archive made its reader need too much memory.", ""]}
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
