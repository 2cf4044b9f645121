"""The program's Python environment: a venv from requirements-rebuild.txt, kept by the hash of what it was made from."""

import ast
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pilots.host import sandbox
from pilots.host.program import Ended, Limits, Program, carry_out
from pilots.spec.config import REQUIREMENTS_FILE
from pilots.spec.requirements import steps

INSTALL_SECONDS: Final = 3600.0
_LAYOUT: Final = "3"  # part of the key: a change here makes every environment anew
_NETWORK: Final = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
                   "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")  # fmt: skip


class EnvironmentFailed(Exception):
    """No environment: a reason code, and what in plain English."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


@dataclass(frozen=True)
class Interpreter:
    """A Python that environments are made from."""

    path: str
    version: str
    prefix: Path
    tag: str  # all that must be equal for an environment to be used again


@dataclass(frozen=True)
class Environment:
    folder: Path
    key: str
    reused: bool
    seen: tuple[Path, ...] = ()  # folders outside it that its Python needs

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def freeze(self) -> list[str]:
        return (self.folder / "freeze.txt").read_text(encoding="utf-8").splitlines()


def interpreter(cache: Path, path: str | None = None) -> Interpreter:
    """The interpreter of the preparation (`KERNODECK_PYTHON`), or the one below the agent's own.

    What it said of itself is kept in `cache` while its file stays the same.
    """
    path = str(path or os.environ.get("KERNODECK_PYTHON") or getattr(sys, "_base_executable", sys.executable))
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError as error:
        raise EnvironmentFailed("interpreter_missing", f"{path} is not there.") from error
    mark = f"{path} {real} {status.st_size} {status.st_mtime_ns}"
    kept = cache / "interpreter.json"
    with contextlib.suppress(OSError, ValueError, KeyError):
        told = json.loads(kept.read_text())
        if told["mark"] == mark:
            return Interpreter(path, told["version"], Path(told["prefix"]), told["tag"])
    ask = "import sys,platform;print(platform.python_version());print(sys.prefix);print(sys.version,platform.machine())"
    try:
        said = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFailed("interpreter_missing", f"{path} does not start: {error}") from error
    version, prefix, tag = said.split("\n", 2)
    found = Interpreter(path, version, Path(prefix), f"{real} {prefix} {tag.strip()}")
    cache.mkdir(parents=True, exist_ok=True)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({"mark": mark, "version": version, "prefix": prefix, "tag": found.tag}))
    new.replace(kept)
    return found


def prepare(
    project: Path,
    python: Interpreter,
    cache: Path,
    report: Path,
    work: Path,
    *,
    kind: sandbox.Kind,
    pip_cache: Path | None = None,
    stop_when: Callable[[], bool] = lambda: False,
) -> Environment:
    """An environment for this project, kept or made now; `freeze.txt` and `install.log` are left in `report`."""
    try:
        requirements = (project / REQUIREMENTS_FILE).read_bytes()
    except OSError as error:
        raise EnvironmentFailed("requirements_missing", f"{REQUIREMENTS_FILE} cannot be read.") from error
    parts = [_LAYOUT.encode(), python.tag.encode(), requirements, _beside(project, requirements)]
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / key
    with _locked(cache / f"{key}.lock"):
        reused = _whole(folder)
        if not reused:
            shutil.rmtree(folder, ignore_errors=True)
            try:
                _make(folder, project, requirements, python, report, work, kind, pip_cache, stop_when)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        else:
            shutil.copyfile(folder / "install.log", report / "install.log")
            os.utime(folder / "whole.json")  # the ones used last are kept longest
        shutil.copyfile(folder / "freeze.txt", report / "freeze.txt")
        return Environment(folder, key, reused, () if _in_usr(python.prefix) else (python.prefix,))


def _make(
    folder: Path,
    project: Path,
    requirements: bytes,
    python: Interpreter,
    report: Path,
    work: Path,
    kind: sandbox.Kind,
    pip_cache: Path | None,
    stop_when: Callable[[], bool],
) -> None:
    (folder / "given").mkdir(parents=True)
    log, venv = report / "install.log", folder / "venv"
    extra, seen = _pip_settings(python, work)
    view = sandbox.View(
        writable=(folder, work, *((pip_cache,) if pip_cache else ())),
        readable=(project, *(() if _in_usr(python.prefix) else (python.prefix,)), *seen),
        tmp=work / "tmp",
        network=True,  # pip alone gets it; a package's own build code runs in here too, out of reach of the agent
    )
    # A host lends no cache of pip's: what one project's build code leaves there, the next one would install.
    kept = {"PIP_CACHE_DIR": str(pip_cache)} if pip_cache else {"PIP_NO_CACHE_DIR": "1"}
    quiet = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_PROGRESS_BAR": "off"}
    env = sandbox.environment(work, {**extra, **kept, **quiet})

    def call(*argv: str, stdout: Path = log) -> Ended:
        program = Program(
            sandbox.wrap(argv, view, kind),
            cwd=project,  # requirements may name wheels beside themselves
            env=env,
            stdout=stdout,
            stderr=log,
            result=work / "install.json",
            limits=Limits(),
        )
        ended, late = carry_out(program, seconds=INSTALL_SECONDS, stop_when=stop_when)
        if late:
            raise EnvironmentFailed("environment_failed", f"The installation took longer than {INSTALL_SECONDS:.0f} s.")
        return ended

    def must(*argv: str, stdout: Path = log) -> None:
        ended = call(*argv, stdout=stdout)
        if not ended.ok:
            raise EnvironmentFailed(_why(log), f"{Path(argv[0]).name} {' '.join(argv[1:4])} {ended.told()}.")

    new = str(venv / "bin" / "python")
    # The interpreter's own pip installs into the new environment; copying a pip into each takes many seconds.
    lent = _lends_pip(python)
    must(python.path, "-I", "-m", "venv", *(["--without-pip"] if lent else []), str(venv))
    pip = [python.path, "-I", "-m", "pip", "--python", new] if lent else [new, "-m", "pip"]
    for number, step in enumerate(steps(requirements.decode("utf-8-sig", "replace"))):
        given = folder / "given" / f"{number}.txt"
        given.write_text(step.text, encoding="utf-8")
        must(*pip, "install", *step.arguments, "-r", str(given))
    must(*pip, "freeze", "--all", stdout=folder / "freeze.txt")
    shutil.copyfile(log, folder / "install.log")
    stamp = folder / "whole.json"
    stamp.with_suffix(".new").write_text(json.dumps({"tree": _tree(venv)}))
    stamp.with_suffix(".new").replace(stamp)


def _beside(project: Path, requirements: bytes) -> bytes:
    """A hash of the files that requirements may name beside themselves; nothing when they name none."""
    if not re.search(rb"\.whl|\.tar\.gz|\./|^\s*(-r|-c|--requirement|--constraint)", requirements, re.MULTILINE):
        return b""
    digest = hashlib.sha256()
    for path in sorted(project.rglob("*")):
        if path.is_file() and (path.suffix in (".whl", ".gz", ".zip", ".txt", ".toml", ".py", ".cfg")):
            digest.update(path.relative_to(project).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


def _lends_pip(python: Interpreter) -> bool:
    """Whether this interpreter has a pip that can install for another one (23 and newer)."""
    told = subprocess.run(
        [python.path, "-I", "-m", "pip", "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    version = re.match(r"pip (\d+)", told.stdout)
    return told.returncode == 0 and version is not None and int(version.group(1)) >= 23


def _why(log: Path) -> str:
    """Whose fault an installation's failure is: the index that does not answer, the disk, or the requirements."""
    text = log.read_text(errors="replace") if log.exists() else ""
    if "No space left on device" in text:
        return "host_disk_full"
    if re.search(r"name resolution|NewConnectionError|ConnectTimeoutError|Network is unreachable|ProxyError", text):
        return "package_index_unreachable"
    return "environment_failed"


def _pip_settings(python: Interpreter, work: Path) -> tuple[dict[str, str], list[Path]]:
    """The machine's pip configuration as one file, and the local folders that it names."""
    told = subprocess.run(
        [python.path, "-I", "-m", "pip", "config", "list"], capture_output=True, text=True, timeout=60, check=False
    )
    sections: dict[str, list[str]] = {}
    values: list[str] = []
    for line in told.stdout.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        try:
            plain = str(ast.literal_eval(value))
        except (ValueError, SyntaxError):
            continue
        values.append(plain)
        if key and section and not section.startswith(":env:"):
            sections.setdefault(section, []).append(f"{key} = " + plain.replace("\n", "\n    "))
    text = "\n".join(f"[{section}]\n" + "\n".join(rows) for section, rows in sections.items())
    config = work / "pip.conf"
    config.write_text(text + "\n")
    env = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in _NETWORK}
    env["PIP_CONFIG_FILE"] = str(config)
    words = " ".join([*values, *(value for name, value in env.items() if name != "PIP_CONFIG_FILE")]).split()
    return env, [path for word in words for path in _local(word)]


def _local(word: str) -> list[Path]:
    """The folders behind a word of pip's settings. The pages of a local index point to files beside it."""
    if not word.startswith(("/", "file:///")):
        return []
    path = Path(word.removeprefix("file://"))
    if word.startswith("file:///") and len(path.parent.parts) > 2:
        path = path.parent
    return [one for one in dict.fromkeys((path, path.resolve())) if one.exists()]


def _whole(folder: Path) -> bool:
    """Whether a kept environment is as it was made: half-made, damaged or emptied ones are made anew."""
    try:
        told = json.loads((folder / "whole.json").read_text())
        (folder / "freeze.txt").stat(), (folder / "install.log").stat()
    except (OSError, ValueError):
        return False
    if told.get("tree") != _tree(folder / "venv"):
        return False
    tried = subprocess.run([str(folder / "venv/bin/python"), "-I", "-S", "-c", ""], capture_output=True, check=False)
    return tried.returncode == 0


def _tree(venv: Path) -> str:
    """A hash over names and sizes of all files but compiled ones: cheap, and enough to see what went missing."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(venv):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            digest.update(
                f"{os.path.relpath(path, venv)} {os.lstat(path).st_size}\n".encode("utf-8", "surrogateescape")
            )
    return digest.hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One maker at a time; a second waits and then finds the environment whole."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _in_usr(prefix: Path) -> bool:
    return prefix.is_relative_to("/usr")
