"""Members of a zip archive, each local header held against the directory, no declared size believed."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from pilots.spec.names import Refused, shown
from pilots.spec.unpacking import BLOCK, Limits, Member

_METHODS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_LOCAL_HEADER: Final = 30
_TAIL: Final = 65_535 + 22 + 20 + 56  # the longest comment, the end of the directory and its wide form


def zip_members(file: BinaryIO, size: int, limits: Limits) -> Iterator[Member]:
    """Every member in the order of the archive's directory; raises Refused."""
    if directory_entries(file, size, limits.members) > limits.members:
        raise Refused("too_many_members", f"The archive holds more than {limits.members} members.")
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, EOFError, MemoryError) as error:
        raise Refused("damaged", "The zip archive's directory cannot be read.") from error
    with archive:
        infos = archive.infolist()
        _check_overlap(infos, size)
        declared = 0
        for info in infos:
            declared += info.file_size
            _check(info, declared, size, limits)
        for info in infos:
            executable = bool(info.external_attr >> 16 & 0o100)
            if _folder(info):
                yield Member(info.orig_filename, True, blocks=_read(archive, info))
            else:
                yield Member(info.orig_filename, False, executable, _read(archive, info))


def directory_entries(file: BinaryIO, size: int, most: int) -> int:
    """How many entries the directory really holds, counted up to `most` + 1 before anything keeps them in memory."""
    file.seek(max(0, size - _TAIL))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < 22:
        raise Refused("damaged", "The zip archive's directory cannot be read.")
    length, start = struct.unpack_from("<LL", tail, at + 12)
    if 0xFFFFFFFF in (length, start):
        wide = tail.rfind(b"PK\x06\x06", 0, at)
        if wide < 0 or len(tail) - wide < 56:
            raise Refused("damaged", "The zip archive's directory cannot be read.")
        length, start = struct.unpack_from("<QQ", tail, wide + 40)
    if start + length > size:
        raise Refused("damaged", "The zip archive's directory lies outside it.")
    file.seek(start)
    count = 0
    while length >= 46 and count <= most:
        header = file.read(46)
        if len(header) < 46 or not header.startswith(b"PK\x01\x02"):
            raise Refused("damaged", "The zip archive's directory cannot be read.")
        rest = sum(struct.unpack_from("<HHH", header, 28))
        file.seek(rest, 1)
        length -= 46 + rest
        count += 1
    file.seek(0)
    return count


def _folder(info: zipfile.ZipInfo) -> bool:
    # not is_dir(): that one fails on a name which a NUL made empty
    return info.orig_filename.endswith("/")


def _check(info: zipfile.ZipInfo, declared: int, size: int, limits: Limits) -> None:
    name = shown(info.orig_filename)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & 0x1:
        raise Refused("encrypted", "A member is encrypted.", name)
    if kind == stat.S_IFLNK:
        raise Refused("link", "A member is a link.", name)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refused("device", "A member is neither a file nor a folder.", name)
    if info.compress_type not in _METHODS:
        raise Refused("unknown_compression", "A member's compression is not read here; use deflate.", name)
    if _folder(info) and info.file_size:
        raise Refused("lying_size", "A folder holds content.", name)
    if info.file_size > limits.member_bytes:
        raise Refused("member_too_large", f"A file is larger than {limits.member_bytes} bytes.", name)
    if declared > limits.unpacked_bytes:
        raise Refused("unpacked_too_large", f"More than {limits.unpacked_bytes} bytes unpacked.", name)
    if info.file_size > limits.ratio_from and info.file_size > limits.ratio * max(info.compress_size, 1):
        raise Refused("bomb", "A member unpacks to far more than its size.", name)
    if declared > limits.ratio_from and declared > limits.ratio * size:
        raise Refused("bomb", "The archive unpacks to far more than its size.", name)


def _check_overlap(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Members that share bytes make a small archive huge without a suspicious ratio in any of them."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end or info.header_offset + _LOCAL_HEADER + info.compress_size > size:
            raise Refused("overlap", "Members of the archive overlap.", shown(info.orig_filename))
        end = info.header_offset + _LOCAL_HEADER + info.compress_size


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    name, read = shown(info.orig_filename), 0
    try:
        with archive.open(info) as member:
            while block := member.read(BLOCK):
                read += len(block)
                yield block
    except NotImplementedError as error:
        raise Refused("unknown_compression", "A member uses a feature that is not read here.", name) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError) as error:
        raise Refused(_damage(str(error)), "A member does not read as its header says.", name) from error
    # zipfile stops at the declared size: content that goes on shows as a wrong checksum, a short one here
    if read != info.file_size:
        raise Refused("lying_size", "A member is shorter than its header says.", name)


def _damage(told: str) -> str:
    if "Overlapped" in told:
        return "overlap"
    if "differ" in told:
        return "lying_name"
    return "checksum" if "CRC" in told else "damaged"
