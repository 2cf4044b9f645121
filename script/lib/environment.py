"""Makes the Python environment of a checkout: found if whole, mended if half made, from the lock file only.

Standard library only: this runs before anything is installed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LOCKS = {"run": ROOT / "lock" / "run.txt", "dev": ROOT / "lock" / "dev.txt", "host": ROOT / "lock" / "host.txt"}


class Trouble(Exception):
    """Something that a person has to mend; its text is the sentence they read."""


def say(text: str) -> None:
    print(text, flush=True)


def fingerprint(kind: str) -> str:
    digest = hashlib.sha256(f"{sys.version}\n".encode())
    digest.update(LOCKS[kind].read_bytes())
    return digest.hexdigest()


def ensure(kind: str = "run", folder: Path | None = None) -> Path:
    """The interpreter of an environment that holds what `kind` needs; made or mended when it does not.

    Args:
        kind: `run` (the site and a host), `dev` (tests and lint as well) or `host` (no Django).
        folder: where it lives; `.venv` of the checkout by default, `.venv-host` for `host`.

    Raises:
        Trouble: the folder cannot be written, or pip could not install; says which.
    """
    folder = folder or ROOT / (".venv-host" if kind == "host" else ".venv")
    python, stamp = folder / "bin" / "python", folder / f"kernodeck-{kind}.stamp"
    # An environment for tests holds everything that running needs.
    for name in {kind, "dev"} if kind == "run" else {kind}:
        whole = folder / f"kernodeck-{name}.stamp"
        if whole.is_file() and whole.read_text() == fingerprint(name) and python.exists():
            return python
    if folder.exists() and not any(folder.glob("kernodeck-*.stamp")):
        say(f"The environment in {folder.name}/ is half made: making it again.")
        shutil.rmtree(folder)
    for old in folder.glob("kernodeck-*.stamp"):
        old.unlink()
    started = time.monotonic()
    say(f"Making the Python environment in {folder.name}/ (once, about a minute):")
    try:
        if not python.exists():
            say("  1/3 an empty environment")
            run([sys.executable, "-m", "venv", str(folder)], "Python could not make a virtual environment")
        packages = sum("==" in line for line in LOCKS[kind].read_text().splitlines())
        say(f"  2/3 {packages} packages from lock/{LOCKS[kind].name}")
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        run([*pip, "--require-hashes", "-r", str(LOCKS[kind])], "pip could not install the packages")
        say("  3/3 this project itself")
        link_project(python, folder)
    except OSError as error:
        raise Trouble(
            f"{folder} cannot be written ({error.strerror}). Give this folder write access and try again."
        ) from None
    stamp.write_text(fingerprint(kind))
    say(f"  done in {time.monotonic() - started:.0f} s")
    return python


def link_project(python: Path, folder: Path) -> None:
    """Puts the checkout on the environment's path and the `kernodeck` command beside its Python."""
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    (site / "kernodeck.pth").write_text(f"{ROOT}\n")
    command = folder / "bin" / "kernodeck"
    command.write_text(f"#!{python}\nfrom pilots.host.cli import main\n\nraise SystemExit(main())\n")
    command.chmod(0o755)


def run(command: list[str], sentence: str) -> None:
    answer = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONNOUSERSITE": "1"}, check=False
    )
    if answer.returncode:
        lines = [line for line in (answer.stderr + answer.stdout).strip().splitlines() if "WARNING" not in line]
        detail = "\n  ".join(lines[-6:])
        raise Trouble(f"{sentence}:\n  {detail}\nCheck the network and the disk, then run the same command again.")


def main(kind: str, module: str, arguments: list[str]) -> None:
    """Make the environment, then go on in it with `script/lib/<module>.py`."""
    try:
        python = ensure(kind)
    except Trouble as trouble:
        sys.exit(f"{trouble}")
    except KeyboardInterrupt:
        sys.exit("Stopped. Run the same command again: it goes on from a clean start.")
    os.execv(str(python), [str(python), str(ROOT / "script" / "lib" / f"{module}.py"), *arguments])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
