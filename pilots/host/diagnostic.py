"""The diagnostic ladder as the one file that travels: put together from `pilots/host/rungs`, in the same order always.

It imports nothing of this house, so that whoever has only its path can ask it for the source too.
"""

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAME: Final = "diagnostic.py"
# Each stands on those before it.
PARTS: Final = ("base", "asking", "cards", "machine", "framework", "arithmetic", "additions", "together", "blender",
                "climbing")  # fmt: skip
_HEAD: Final = '''"""The diagnostic ladder of a GPU machine: one file without dependencies, for Python >= 3.9.

Run it alone: `python diagnostic.py --help`. Put together from the modules of `pilots/host/rungs`.
"""

from __future__ import annotations

'''
_FOOT: Final = '\n\n\nif __name__ == "__main__":\n    sys.exit(main())\n'


def source() -> str:
    """The file's text: the modules' imports once, then their bodies."""
    imports: set[str] = set()
    bodies: list[str] = []
    homes: dict[str, str] = {}
    for part in PARTS:
        text = Path(__file__).with_name("rungs").joinpath(f"{part}.py").read_text(encoding="utf-8")
        nodes = ast.parse(text).body[1:]  # after the docstring
        heads = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        imports.update(ast.unparse(node) for node in heads if not _left_out(node))
        for name in _names(nodes):
            if homes.setdefault(name, part) != part:
                raise ValueError(f"{name} is defined in two modules of the ladder: {homes[name]} and {part}")
        bodies.append("\n".join(text.splitlines()[heads[-1].end_lineno :]).strip("\n"))
    lines = [f"{line}\n" for line in sorted(imports, key=lambda line: (line.startswith("from"), line))]
    return "".join([_HEAD, *lines, "\n", "\n\n\n".join(bodies), _FOOT])


def _left_out(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("pilots.", "__future__"))


def _names(nodes: list[ast.stmt]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def write(path: Path) -> Path:
    path.write_text(source(), encoding="utf-8")
    return path


def main(argv: list[str]) -> int:
    """Climbs from the one file, as everybody does: its children may be other interpreters that know only that file."""
    with tempfile.TemporaryDirectory(prefix="kernodeck-") as folder:
        return subprocess.call([sys.executable, str(write(Path(folder, NAME))), *argv])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
