"""What a program's files import, and which of it neither Python, the project nor its requirements bring."""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pilots.spec.requirements import normal

# Modules whose package has another name.
_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "PIL": ("pillow", "pillow-simd"),
    "cv2": ("opencv-python", "opencv-python-headless", "opencv-contrib-python", "opencv-contrib-python-headless"),
    "sklearn": ("scikit-learn",),
    "skimage": ("scikit-image",),
    "yaml": ("pyyaml",),
    "bs4": ("beautifulsoup4",),
    "dateutil": ("python-dateutil",),
    "fitz": ("pymupdf",),
    "docx": ("python-docx",),
    "pptx": ("python-pptx",),
    "dotenv": ("python-dotenv",),
    "Crypto": ("pycryptodome",),
    "magic": ("python-magic",),
    "faiss": ("faiss-cpu", "faiss-gpu"),
    "usb": ("pyusb",),
    "serial": ("pyserial",),
    "win32api": ("pywin32",),
    "attr": ("attrs",),
    "pkg_resources": ("setuptools",),
    "tensorflow": ("tensorflow-cpu", "tf-nightly"),
    "google": ("protobuf",),
}


def imported(source: str) -> Iterator[tuple[str, int]]:
    """Top modules and their lines; imports that a `try` guards are optional and left out. Raises SyntaxError."""
    yield from _walk(ast.parse(source), False)


def _walk(node: ast.AST, guarded: bool) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Import) and not guarded:
        for alias in node.names:
            yield alias.name.partition(".")[0], node.lineno
    elif isinstance(node, ast.ImportFrom) and not guarded and node.level == 0 and node.module:
        yield node.module.partition(".")[0], node.lineno
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, guarded or isinstance(node, ast.Try) or _typing_only(node))


def _typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def provided(module: str, local: Collection[str], packages: Collection[str]) -> bool:
    """Whether a module comes with Python, with the project, or by its name with one of the packages."""
    if module in sys.stdlib_module_names or module in local or module == "__main__":
        return True
    if any(package in packages for package in _PACKAGES.get(module, ())):
        return True
    # a package's name mostly holds its module's: torchvision, google-cloud-storage, python-xyz
    name = normal(module).strip("-")
    return any(name in package or package in name for package in packages)
