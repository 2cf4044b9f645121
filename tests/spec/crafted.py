"""Archives that somebody made with bad intent, each small to build."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable

MIB = 1024 * 1024


def make_zip(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def zip_named(name: str, mode: int = 0o100644, data: bytes = b"x") -> bytes:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return make_zip(("src/a.py", b"1"), (info, data))


def make_tar(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=form) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def entry(
    name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = len(data) if kind == tarfile.REGTYPE else 0
    return info, data if kind == tarfile.REGTYPE else b""


def tar_of(kind: bytes, link: str = "") -> bytes:
    return make_tar(entry("a.txt"), entry("b", kind=kind, link=link))


def zip_lying_size() -> bytes:
    """The header says ten bytes, the content is a hundred."""
    data = bytearray(make_zip(("a.txt", b"y" * 100)))
    directory = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, directory + 24, 10)
    return bytes(data)


def zip_lying_name() -> bytes:
    data = make_zip(("good.txt", b"x"))
    at = data.index(b"good.txt")
    return data[:at] + b"evil.txt" + data[at + 8 :]


def zip_encrypted() -> bytes:
    data = bytearray(make_zip(("a.txt", b"x")))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def zip_unknown_compression() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.txt", b"x" * 100)
    return out.getvalue()


def zip_overlap() -> bytes:
    """One kernel, named by many entries of the directory."""
    data = make_zip(("a", b"0" * 4000))
    directory = data.rfind(b"PK\x01\x02")
    end = data.rfind(b"PK\x05\x06")
    one = data[directory:end]
    many = b"".join(one[:46] + bytes([97 + number]) + one[47:] for number in range(20))
    tail = bytearray(data[end:])
    struct.pack_into("<HHLL", tail, 8, 20, 20, len(many), directory)
    return data[:directory] + many + bytes(tail)


def zip_bomb() -> bytes:
    return make_zip(*((f"{number}.txt", bytes(20 * MIB)) for number in range(8)))


def zip_directory_bomb() -> bytes:
    """Far more entries than members are allowed, none with content."""
    one = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    local = struct.pack("<4s2B4HL2L2H", b"PK\x03\x04", 20, 0, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    many = one * 300_000
    wide = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 300_000, 300_000, len(many), len(local))
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(local) + len(many), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return local + many + wide + locator + end


def tar_pax_bomb() -> bytes:
    """A header that claims a name of a gibibyte: a trusting reader takes it into memory."""
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 1024 * MIB
    return gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(4 * MIB))


def tar_size_in_pax() -> bytes:
    """The plain header says one byte, the extended one ten thousand, the content is short."""
    info, data = entry("a.txt", b"x")
    info.pax_headers = {"size": "10000"}
    return make_tar((info, data))


def tar_duplicate_after_link() -> bytes:
    """The classic: a link to elsewhere, then a file written through it."""
    return make_tar(entry("a", kind=tarfile.SYMTYPE, link="/tmp"), entry("a/evil.txt"))


CORPUS: list[tuple[str, str, Callable[[], bytes]]] = [
    ("zip slip", "parent_path", lambda: zip_named("../evil.txt")),
    ("zip slip deep", "parent_path", lambda: zip_named("src/../../evil.txt")),
    ("zip absolute", "absolute_path", lambda: zip_named("/etc/cron.d/evil")),
    ("zip drive", "absolute_path", lambda: zip_named("C:/evil.txt")),
    ("zip backslash", "backslash", lambda: zip_named("..\\evil.txt")),
    ("zip link", "link", lambda: zip_named("src/link", 0o120777, b"/etc/passwd")),
    ("zip device", "device", lambda: zip_named("src/device", 0o020666)),
    ("zip fifo", "device", lambda: zip_named("src/fifo", 0o010666)),
    ("zip doubled", "duplicate_name", lambda: make_zip(("a.txt", b"1"), ("a.txt", b"2"))),
    ("zip doubled by dots", "duplicate_name", lambda: make_zip(("a.txt", b"1"), ("./a.txt", b"2"))),
    ("zip by case", "duplicate_by_case", lambda: make_zip(("a.txt", b"1"), ("A.TXT", b"2"))),
    ("zip folder by case", "duplicate_by_case", lambda: make_zip(("src/a", b"1"), ("SRC/b", b"2"))),
    ("zip by writing", "duplicate_by_case", lambda: make_zip(("ﬁle", b"1"), ("file", b"2"))),
    ("zip file as folder", "file_as_folder", lambda: make_zip(("a", b"1"), ("a/b", b"2"))),
    ("zip folder as file", "file_as_folder", lambda: make_zip(("a/b", b"1"), ("a", b"2"))),
    ("zip reserved", "name_reserved", lambda: zip_named("src/NUL.txt")),
    ("zip trailing dot", "name_reserved", lambda: zip_named("src/a.")),
    ("zip stream name", "name_reserved", lambda: zip_named("a.txt:evil")),
    ("zip control", "name_control", lambda: zip_named("a\x1b[2Jb")),
    ("zip direction", "name_control", lambda: zip_named("a\u202etxt.exe")),
    ("zip long name", "name_too_long", lambda: zip_named("a" * 300)),
    ("zip deep", "name_too_long", lambda: zip_named("a/" * 60 + "b")),
    ("zip encrypted", "encrypted", zip_encrypted),
    ("zip other compression", "unknown_compression", zip_unknown_compression),
    ("zip lying size", "checksum", zip_lying_size),
    ("zip lying name", "lying_name", zip_lying_name),
    ("zip overlapping", "overlap", zip_overlap),
    ("zip bomb", "bomb", zip_bomb),
    ("zip of entries", "too_many_members", zip_directory_bomb),
    ("zip cut", "damaged", lambda: make_zip(("a.txt", b"x" * 500))[:-30]),
    ("zip with one wrong byte", "checksum", lambda: flip(make_zip(("a.txt", bytes(range(256)) * 9)), 60)),
    ("zip empty", "empty", lambda: make_zip()),
    ("tar slip", "parent_path", lambda: make_tar(entry("../evil.txt"))),
    ("tar absolute", "absolute_path", lambda: make_tar(entry("/etc/evil"))),
    ("tar symbolic link", "link", lambda: tar_of(tarfile.SYMTYPE, "/etc/passwd")),
    ("tar hard link", "link", lambda: tar_of(tarfile.LNKTYPE, "a.txt")),
    ("tar through link", "link", tar_duplicate_after_link),
    ("tar character device", "device", lambda: tar_of(tarfile.CHRTYPE)),
    ("tar block device", "device", lambda: tar_of(tarfile.BLKTYPE)),
    ("tar fifo", "device", lambda: tar_of(tarfile.FIFOTYPE)),
    ("tar doubled", "duplicate_name", lambda: make_tar(entry("a"), entry("a"))),
    ("tar by case", "duplicate_by_case", lambda: make_tar(entry("a"), entry("A"))),
    ("tar not unicode", "name_not_unicode", lambda: make_tar(entry("a\udcff"), form=tarfile.GNU_FORMAT)),
    ("tar bomb", "bomb", lambda: make_tar(entry("a", bytes(160 * MIB)))),
    ("tar header bomb", "header_too_large", tar_pax_bomb),
    ("tar lying size", "truncated", tar_size_in_pax),
    ("tar cut", "truncated", lambda: make_tar(entry("a", bytes(range(256)) * 400))[:-40]),
    ("tar wrong byte", "damaged", lambda: flip(make_tar(entry("a", bytes(range(256)) * 400)), 100)),
    ("gzip of no tar", "damaged", lambda: gzip.compress(b"hello" * 1000)),
    ("gzip of nothing", "not_an_archive", lambda: gzip.compress(b"")),
    ("no archive", "not_an_archive", lambda: b"MZ\x90\x00" * 100),
    ("nothing", "not_an_archive", lambda: b""),
]  # fmt: skip


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
