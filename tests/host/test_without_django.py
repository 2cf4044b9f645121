"""The agent with Django out of reach and, where it is installed, with Django in reach of kombu."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(f"pilots.host.{path.stem}" for path in (ROOT / "pilots/host").glob("*.py") if path.stem != "__init__")
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("django", "ninja", "common", "billing", "rental"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Block())
"""


def python(source: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip


def test_every_module_imports_without_django() -> None:
    done = python(BLOCK + "".join(f"import {name}\n" for name in MODULES) + "print('django' in sys.modules)\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False"


def test_no_room_of_the_site_is_imported() -> None:
    rooms = "[name for name in sys.modules if name.split('.')[0] in ('common', 'billing', 'rental', 'ninja')]"
    done = python("import sys\n" + "".join(f"import {name}\n" for name in MODULES) + f"print({rooms})\n")
    assert done.stdout.strip() == "[]", done.stderr


def test_worker_with_a_settings_module_in_sight(tmp_path: Path) -> None:
    """Celery would set up Django for `DJANGO_SETTINGS_MODULE`; the worker's app does not."""
    pytest.importorskip("django")
    source = (
        "from pathlib import Path\nfrom pilots.host.state import State\nfrom pilots.host.worker import make\n"
        f"state = State(Path({str(tmp_path / 's')!r}))\n"
        "state.enrol('http://127.0.0.1:1', {'host': 'a', 'token': 't', 'broker_url': 'redis+socket://a:b@/tmp/none',\n"
        "             'key_prefix': 'h:a:', 'hello_seconds': 1})\n"
        "app = make(state)\napp.finalize()\nprint(sorted(n for n in app.tasks if not n.startswith('celery.')))\n"
        "import sys\nprint('rental.settings' in sys.modules)\n"
    )
    done = python(source, DJANGO_SETTINGS_MODULE="rental.settings")
    assert done.stdout.splitlines() == ["['kernodeck.wake']", "False"], done.stderr
