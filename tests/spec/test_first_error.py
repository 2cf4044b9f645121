"""The first error among the words of real tools."""

import time

import pytest

from pilots.spec.error_patterns import KINDS
from pilots.spec.first_error import around, clean, find, last_words

PYTHON = """loading model
Traceback (most recent call last):
  File "/p/src/a.py", line 3, in <module>
    main()
    ^^^^^^
  File "/p/src/a.py", line 2, in main
    open("x")
FileNotFoundError: [Errno 2] No such file or directory: 'x'
"""
CHAINED = """Traceback (most recent call last):
  File "a.py", line 2, in <module>
    {}["x"]
    ~~^^^^^
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 4, in <module>
    raise ValueError("no x")
ValueError: no x
"""
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 1, in <module>
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
"""
SYNTAX = """  File "/p/src/a.py", line 1
    def x(:
          ^
SyntaxError: invalid syntax
"""
CUDA = """step 1 loss 0.3
Traceback (most recent call last):
  File "a.py", line 1, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.81 GiB
"""


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        (PYTHON, 8, "not_found"),
        (CHAINED, 5, "exception"),
        (GROUP, 3, "exception"),
        (SYNTAX, 4, "syntax"),
        (CUDA, 4, "gpu_memory"),
        ("RuntimeError: HIP out of memory. Tried", 1, "gpu_memory"),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", 1, "gpu_no_kernel"),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040).", 1, "gpu_driver"),
        ("RuntimeError: CUDA error: device-side assert triggered", 1, "gpu_assert"),
        ("GPU 0000:1b:00.0: GPU has fallen off the bus.", 1, "gpu_lost"),
        ("Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x2.", 1, "gpu_memory_access"),
        ("RuntimeError: HIP error: invalid configuration argument", 1, "gpu"),
        ("torch.distributed.DistBackendError: NCCL error in: x.cpp:1", 1, "collective"),
        ("[123.4] Out of memory: Killed process 77 (python) total-vm:1kB", 1, "memory"),
        ("RuntimeError: [enforce fail] DefaultCPUAllocator: can't allocate memory: you tried", 1, "memory"),
        ("OSError: [Errno 28] No space left on device", 1, "disk"),
        ("ImportError: libcudart.so.12: cannot open shared object file: No such file or directory", 1, "library"),
        ("ImportError: /x/flash_attn.so: undefined symbol: _ZN3c10", 1, "library"),
        ("ModuleNotFoundError: No module named 'torch'", 1, "import"),
        ("bash: line 1: foo: command not found", 1, "not_found"),
        ("/bin/sh: 1: foo: not found", 1, "not_found"),
        ("sh: 3: cd: can't cd to x", 1, "shell"),
        ("python: can't open file '/p/src/b.py': [Errno 2] No such file or directory", 1, "not_found"),
        ("Collecting x\nERROR: Could not find a version that satisfies the requirement x==9", 2, "package_missing"),
        ("ERROR: ResolutionImpossible: for help visit", 1, "package_conflict"),
        ("  error: subprocess-exited-with-error", 1, "package_build"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", 1, "package_hash"),
        ("WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\nERROR: x", 2, "package"),
        ("Segmentation fault (core dumped)", 1, "crash"),
        ("Killed", 1, "crash"),
        ("ok\n\x1b[31mValueError: red\x1b[0m", 2, "exception"),
        ("  3%|x   |\r100%|xx|\rRuntimeError: after the bar", 1, "exception"),
    ],
)
def test_first_errors(text: str, line: int, kind: str) -> None:
    found = find(text.splitlines() if "\r" not in text else text.split("\n"))
    assert found is not None
    assert (found.line, found.kind) == (line, kind)
    assert kind in KINDS
    assert found.text.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "UserWarning: CUDA initialization: Found no NVIDIA driver on your system",
        "WARNING: something failed with Error: x",
        "error rate 0.01, 0 errors",
        "I am killed by this Exception handling course",
        "ERROR: pip's dependency resolver does not currently take into account",
    ],
)
def test_what_is_no_error(text: str) -> None:
    assert find(text.splitlines()) is None


def test_the_lines_around() -> None:
    lines = [f"line {number}" for number in range(1, 30)]
    assert [number for number, _ in around(lines, 10, 2)] == [8, 9, 10, 11, 12]
    assert around(["a\x1b[1mb"], 1) == [(1, "ab")]
    assert clean("a\u202eb\x00c") == "abc"


def test_long_healthy_outputs_are_read_quickly() -> None:
    lines = [f"step {number} loss 0.{number} learning rate 1e-5 tokens per second 12345.6" for number in range(50_000)]
    started = time.process_time()
    assert find(lines) is None
    assert time.process_time() - started < 2


def test_a_program_without_a_known_error_leaves_its_last_words() -> None:
    lines = ["starting", "cannot go on: the model file is gone", "   ", ""]
    assert find(lines) is None
    found = last_words(lines)
    assert found is not None
    assert (found.line, found.kind, found.text) == (2, "last_words", "cannot go on: the model file is gone")
    assert last_words(["", " "]) is None
