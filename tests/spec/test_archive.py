"""Archives: every crafted one refused with its reason, in time, the disk unchanged; honest ones unpacked whole."""

import contextlib
import gzip
import io
import os
import random
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilots.spec import archive, limited
from pilots.spec.names import Refused
from tests.spec.crafted import CORPUS, entry, make_tar, make_zip
from tests.spec.projects import make


def disk(folder: Path) -> list[tuple[str, int, bytes]]:
    return [
        (str(path.relative_to(folder)), path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("code", "build"), [row[1:] for row in CORPUS], ids=[row[0] for row in CORPUS])
def test_a_crafted_archive_is_refused(tmp_path: Path, code: str, build: Callable[[], bytes]) -> None:
    path = tmp_path / "archive"
    path.write_bytes(build())
    before = disk(tmp_path)
    started = time.process_time()
    with pytest.raises(Refused) as refused:
        archive.unpack(path, tmp_path / "out" / "project")
    assert time.process_time() - started < 1.5
    (tmp_path / "out").rmdir() if (tmp_path / "out").exists() else None
    assert refused.value.code == code
    assert disk(tmp_path) == before
    with pytest.raises(Refused) as again:
        archive.check(path)
    assert again.value.code == code


def test_limits_hold_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    small = archive.Limits(packed_bytes=10_000, unpacked_bytes=1000, member_bytes=600, members=3)
    for build in (make_zip, lambda *rows: make_tar(*(entry(*row) for row in rows))):
        for members, code in (
            ([("a", os.urandom(601))], "member_too_large"),
            ([("a", os.urandom(600)), ("b", os.urandom(600))], "unpacked_too_large"),
            ([(name, b"1") for name in "abcd"], "too_many_members"),
            ([("a", os.urandom(11_000))], "too_large"),
        ):
            path.write_bytes(build(*members))
            with pytest.raises(Refused) as refused:
                archive.check(path, small)
            assert refused.value.code == code, members[0][0]


def test_a_refused_archive_in_its_own_process(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(make_zip(("../evil", b"x")))
    with pytest.raises(Refused) as refused:
        limited.unpack(path, tmp_path / "out")
    assert (refused.value.code, refused.value.member) == ("parent_path", "../evil")


NAMES = st.lists(
    st.lists(st.text("abcéß日-_ 1", min_size=1, max_size=8).filter(lambda t: t[-1] != " "), min_size=1, max_size=4).map(
        "/".join
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(names=NAMES, contents=st.lists(st.binary(max_size=2000), min_size=8, max_size=8))
def test_honest_archives_come_out_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], contents: list[bytes]
) -> None:
    tmp_path = tmp_path_factory.mktemp("honest")
    wanted = dict(zip(names, contents, strict=False))
    repacked, refusals = set(), set()
    for number, data in enumerate((
        make_zip(*wanted.items()),
        make_tar(*(entry(name, data) for name, data in wanted.items())),
        make_tar(*(entry(name, data) for name, data in wanted.items()), form=tarfile.GNU_FORMAT),
    )):  # fmt: skip
        path, out = tmp_path / f"archive{number}", tmp_path / f"out{number}"
        path.write_bytes(data)
        try:
            content = archive.unpack(path, out)
        except Refused as refused:
            # names drawn at random may collide; then nothing may be written
            refusals.add(refused.code)
            assert not out.exists()
            continue
        prefix = f"{content.root}/" if content.root else ""
        assert {prefix + name: (out / name).read_bytes() for name in content.files} == wanted
        again = io.BytesIO()
        archive.repack(path, again)
        repacked.add(again.getvalue())
    assert refusals <= {"file_as_folder", "duplicate_by_case"}
    assert len(repacked) + len(refusals) == 1  # the same content gives the same bytes, whatever it came in


def test_a_top_folder_and_a_macs_leavings_are_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(
        make_zip(
            ("my project/config/pilote.json", b"{}"), ("my project/src/a.py", b"1"), ("__MACOSX/my project/._a", b"x")
        )
    )
    content = archive.unpack(path, tmp_path / "out")
    assert content.root == "my project"
    assert [name for name, _, _ in disk(tmp_path / "out")] == ["config", "config/pilote.json", "src", "src/a.py"]


def test_the_hosts_archive_holds_no_expected_answers(tmp_path: Path) -> None:
    with (tmp_path / "project.zip").open("wb") as file:
        archive.pack(make(tmp_path / "project"), file)
    sha256 = limited.repack(tmp_path / "project.zip", tmp_path / "host.zip", for_host=True)
    names = zipfile.ZipFile(tmp_path / "host.zip").namelist()
    assert "config/pilote.json" in names
    assert "config/expected.json" not in names
    assert archive.check(tmp_path / "host.zip").sha256 == sha256


def test_packing_refuses_links(tmp_path: Path) -> None:
    (make(tmp_path) / "src/link").symlink_to("/etc/passwd")
    with pytest.raises(Refused) as refused:
        archive.pack(tmp_path, io.BytesIO())
    assert refused.value.code == "link"


def test_executables_stay_executable_and_nothing_else_is_kept(tmp_path: Path) -> None:
    (make(tmp_path / "project") / "src/main.py").chmod(0o4777)
    with (tmp_path / "p.zip").open("wb") as file:
        archive.pack(tmp_path / "project", file)
    archive.unpack(tmp_path / "p.zip", tmp_path / "out")
    assert (tmp_path / "out/src/main.py").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out/README.md").stat().st_mode & 0o7777 == 0o644


def test_many_small_files_are_quick(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(make_tar(*(entry(f"data/{number}.txt", b"x" * 100) for number in range(5000))))
    started = time.process_time()
    assert len(archive.check(path).files) == 5000
    assert time.process_time() - started < 3


SEEDS = [
    make_zip(("src/a.py", b"x" * 300), ("data/b.txt", bytes(range(256)) * 4), ("é/c", b"")),
    gzip.decompress(make_tar(entry("src/a.py", b"x" * 300), entry("data/" + "b" * 150, bytes(range(256)) * 4))),
    gzip.decompress(make_tar(entry("src/a.py", b"x"), entry("data/" + "b" * 150, b"q"), form=tarfile.GNU_FORMAT)),
]


def mutated(draw: random.Random) -> bytes:
    data = bytearray(draw.choice(SEEDS)[:6000])
    tar = not data.startswith(b"PK")
    for _ in range(draw.choice([1, 1, 2, 4, 10])):
        at, kind = draw.randrange(len(data)), draw.randrange(10)
        if kind < 5:
            data[at] = draw.choice([0, 255, draw.randrange(256), data[at] ^ 1 << draw.randrange(8)])
        elif kind == 5:
            del data[at : at + draw.randrange(1, 40)]
        elif kind == 6:
            data[at:at] = draw.randbytes(draw.randrange(1, 20))
        else:
            other = draw.randrange(len(data))
            data[at : at + 4] = data[other : other + 4]
        if len(data) < 100:
            break
    return gzip.compress(data) if tar else bytes(data)


def test_damage_of_any_kind_is_refused_or_harmless(tmp_path: Path) -> None:
    draw, path = random.Random(5), tmp_path / "archive"
    for number in range(1500):
        path.write_bytes(mutated(draw))
        with contextlib.suppress(Refused):
            assert archive.check(path).total < 100_000, number
