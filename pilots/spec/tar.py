"""Members of a tar.gz archive by a reader of our own: the standard one follows headers of any size into memory."""

import re
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from pilots.spec.names import Refused, shown
from pilots.spec.unpacking import BLOCK, Limits, Member

_RECORD: Final = 512
_EXTENDED: Final = 64 * 1024  # no honest path needs more
_SLACK: Final = 1024 * 1024  # zeros behind the end, as tar writes them
_ZEROS: Final = bytes(_RECORD)
_PAX_LENGTH: Final = re.compile(rb"([0-9]{1,6}) ")


class _Unzipped:
    """The content of a gzip file, in pieces, its ratio watched while it grows."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file, self._limits = file, limits
        self._inflate = zlib.decompressobj(wbits=31)
        self._held, self._at = b"", 0
        self._packed = self.unpacked = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        if len(self._held) - self._at < size:
            parts = [self._held[self._at :]]
            held = len(parts[0])
            while held < size and (more := self._more()):
                parts.append(more)
                held += len(more)
            self._held, self._at = b"".join(parts), 0
        data = self._held[self._at : self._at + size]
        self._at += len(data)
        return data

    def _more(self) -> bytes:
        while True:
            packed = self._inflate.unconsumed_tail or self._next_packed()
            if not packed:
                return b""
            try:
                data = self._inflate.decompress(packed, BLOCK)
            except zlib.error as error:
                raise Refused("damaged", "The gzip content cannot be read.") from error
            self.unpacked += len(data)
            most = self._limits.unpacked_bytes + self._limits.members * 2 * _RECORD + _SLACK
            if self.unpacked > most:
                raise Refused("unpacked_too_large", f"More than {self._limits.unpacked_bytes} bytes unpacked.")
            if self.unpacked > self._limits.ratio_from and self.unpacked > self._limits.ratio * self._packed:
                raise Refused("bomb", "The archive unpacks to far more than its size.")
            if data:
                return data

    def _next_packed(self) -> bytes:
        if self._inflate.eof:
            rest = self._inflate.unused_data or self._file.read(BLOCK)
            if not rest.strip(b"\0"):
                return b""
            if not rest.startswith(b"\x1f\x8b"):
                raise Refused("damaged", "Something follows the gzip content.")
            self._inflate = zlib.decompressobj(wbits=31)  # gzip files may be written one behind the other
            self._packed += len(rest)
            return rest
        packed = self._file.read(BLOCK)
        self._packed += len(packed)
        if not packed:
            raise Refused("truncated", "The archive ends before its content does.")
        return packed


def tar_members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    """Every member in the archive's order; raises Refused."""
    stream = _Unzipped(file, limits)
    long_name: str | None = None
    pax: dict[str, str] = {}
    records = 0
    while True:
        header = stream.read(_RECORD)
        if not header or header == _ZEROS:
            break
        records += 1
        if records > 3 * limits.members:
            raise Refused("too_many_members", f"The archive holds more than {limits.members} members.")
        info = _header(header)
        if info.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            data = _extended(stream, info)
            if info.type == tarfile.XHDTYPE:
                pax = _pax(data)
            elif info.type == tarfile.GNUTYPE_LONGNAME:
                long_name = _text(data.rstrip(b"\0"))
            continue
        name = pax.get("path") or long_name or info.name
        size = _size(pax, info)
        _check(info, name, pax)
        long_name, pax = None, {}
        folder = info.type == tarfile.DIRTYPE or name.endswith("/")
        if folder and size:
            raise Refused("lying_size", "A folder holds content.", shown(name))
        if size > limits.member_bytes:
            raise Refused("member_too_large", f"A file is larger than {limits.member_bytes} bytes.", shown(name))
        left = [size]
        yield Member(name, folder, bool(info.mode & 0o100), _content(stream, size, left, name))
        if left[0]:
            raise RuntimeError("a member must be read before the next one")
        _padding(stream, size, name)
    if records == 0:
        raise Refused("not_an_archive", "The gzip file does not hold a tar archive.")
    while stream.read(BLOCK):  # the rest is read too, so that damage and bombs behind the end are seen
        pass


def _header(header: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        code = "truncated" if len(header) < _RECORD else "damaged"
        raise Refused(code, "A member's header cannot be read.") from error


def _check(info: tarfile.TarInfo, name: str, pax: dict[str, str]) -> None:
    if info.type in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        raise Refused("link", "A member is a link.", shown(name))
    if info.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse") for key in pax):
        raise Refused("sparse", "A member is a sparse file; pack it as a plain one.", shown(name))
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE):
        raise Refused("device", "A member is neither a file nor a folder.", shown(name))


def _size(pax: dict[str, str], info: tarfile.TarInfo) -> int:
    told = pax.get("size", "")
    size = int(told) if told.isascii() and told.isdigit() and len(told) < 19 else info.size
    if size < 0:
        raise Refused("lying_size", "A member has a negative size.", shown(info.name))
    return size


def _extended(stream: _Unzipped, info: tarfile.TarInfo) -> bytes:
    if not 0 <= info.size <= _EXTENDED:
        raise Refused("header_too_large", "A member's extended header is too large.")
    data = stream.read(info.size)
    if len(data) < info.size:
        raise Refused("truncated", "The archive ends inside a header.")
    _padding(stream, info.size, info.name)
    return data


def _pax(data: bytes) -> dict[str, str]:
    values: dict[str, str] = {}
    at = 0
    while at < len(data) and data[at]:
        match = _PAX_LENGTH.match(data, at)
        end = at + int(match.group(1)) if match else 0
        if match is None or not match.end() < end <= len(data) or data[end - 1 : end] != b"\n":
            raise Refused("damaged", "A member's extended header cannot be read.")
        key, _, value = data[match.end() : end - 1].partition(b"=")
        values[_text(key)] = _text(value)
        at = end
    return values


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _content(stream: _Unzipped, size: int, left: list[int], name: str) -> Iterator[bytes]:
    while left[0]:
        block = stream.read(min(BLOCK, left[0]))
        if not block:
            raise Refused("truncated", "The archive ends inside a member.", shown(name))
        left[0] -= len(block)
        yield block


def _padding(stream: _Unzipped, size: int, name: str) -> None:
    missing = -size % _RECORD
    if len(stream.read(missing)) != missing:
        raise Refused("truncated", "The archive ends inside a member.", shown(name))
