"""ZIP packages in which some members are replaced; all other bytes stay where and what they are.

Members are copied with their headers and their compressed bytes. Sizes are checked before anything is
unpacked, and again while it is, so that a small file cannot become a large one.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lexalign.contracts.errors import LexalignError

MAX_SIZE = 48 << 20  # bytes of all parts that are unpacked
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_HAS_DESCRIPTOR = 0x08
_ENCRYPTED = 0x01


@dataclass(frozen=True)
class Package:
    content: bytes

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(io.BytesIO(self.content))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise LexalignError("not an Office document: it is not a complete ZIP file") from None

    @cached_property
    def names(self) -> list[str]:
        names = [info.filename for info in self._archive.infolist()]
        if len(set(names)) != len(names):
            raise LexalignError("the package holds two parts of one name; is this file malicious?")
        return names

    def check_size(self, names: Iterable[str]) -> None:
        """Refuse parts that together are too large to be unpacked."""
        size = sum(self._archive.getinfo(name).file_size for name in names)
        if size > MAX_SIZE:
            raise LexalignError(
                f"its text has {size >> 20} MB unpacked, and at most {MAX_SIZE >> 20} are read; "
                "is this file malicious?"
            )

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        info = self._archive.getinfo(name)
        if info.flag_bits & _ENCRYPTED:
            raise LexalignError(f"{name} is encrypted; save the document without a password")
        try:
            with self._archive.open(info) as part:
                content = part.read(info.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise LexalignError(f"{name} is damaged; save the document again") from None
        if len(content) != info.file_size:
            raise LexalignError(f"{name} is not as long as it says; is this file malicious?")
        return content

    def replaced(self, parts: Mapping[str, bytes]) -> bytes:
        """The package with new bytes for some parts."""
        infos = sorted(self._archive.infolist(), key=lambda info: info.header_offset)
        directory = self._archive.start_dir
        ends = [*(info.header_offset for info in infos[1:]), directory]
        first = infos[0].header_offset if infos else directory
        written = [self.content[:first]]
        position = first
        offsets: dict[str, int] = {}
        members: dict[str, _Member] = {}
        for info, end in zip(infos, ends, strict=True):
            offsets[info.filename] = position
            record = self.content[info.header_offset : end]
            if info.filename in parts:
                members[info.filename] = _member(parts[info.filename], info)
                record = _local_record(record, members[info.filename])
            written.append(record)
            position += len(record)
        central = self._central(directory, offsets, members)
        written += (central, self._end_record(directory, position, len(central)))
        return b"".join(written)

    def _central(self, start: int, offsets: Mapping[str, int], members: Mapping[str, "_Member"]) -> bytes:
        """The central directory with new offsets, and the sizes of new members."""
        records: list[bytes] = []
        for info in self._archive.infolist():
            fixed = bytearray(self.content[start : start + 46])
            if fixed[:4] != _CENTRAL:
                raise LexalignError("the package's directory cannot be read; save the document again")
            lengths = struct.unpack_from("<HHH", fixed, 28)
            length = 46 + sum(lengths)
            if info.filename in members:
                member = members[info.filename]
                flags = struct.unpack_from("<H", fixed, 8)[0] & ~_HAS_DESCRIPTOR
                struct.pack_into("<HH", fixed, 8, flags, member.method)
                struct.pack_into("<III", fixed, 16, member.crc, len(member.data), member.size)
            struct.pack_into("<I", fixed, 42, offsets[info.filename])
            records.append(bytes(fixed) + self.content[start + 46 : start + length])
            start += length
        return b"".join(records)

    def _end_record(self, old_start: int, start: int, length: int) -> bytes:
        position = self.content.rfind(_END)
        if position < old_start or position + 22 > len(self.content):
            raise LexalignError("the package's directory cannot be read; save the document again")
        record = bytearray(self.content[position:])
        struct.pack_into("<II", record, 12, length, start)
        return bytes(record)


@dataclass(frozen=True, slots=True)
class _Member:
    data: bytes  # compressed as `method` says
    method: int
    crc: int
    size: int


def _member(content: bytes, info: zipfile.ZipInfo) -> _Member:
    if info.compress_type == zipfile.ZIP_STORED:
        return _Member(content, zipfile.ZIP_STORED, zlib.crc32(content), len(content))
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    data = packer.compress(content) + packer.flush()
    return _Member(data, zipfile.ZIP_DEFLATED, zlib.crc32(content), len(content))


def _local_record(record: bytes, member: _Member) -> bytes:
    """A local header for new data, with the name and the extra fields of the old one."""
    if record[:4] != _LOCAL:
        raise LexalignError("the package's directory cannot be read; save the document again")
    name_length, extra_length = struct.unpack_from("<HH", record, 26)
    header = bytearray(record[: 30 + name_length + extra_length])
    flags = struct.unpack_from("<H", header, 6)[0] & ~_HAS_DESCRIPTOR
    struct.pack_into("<HH", header, 6, flags, member.method)
    struct.pack_into("<III", header, 14, member.crc, len(member.data), member.size)
    return bytes(header) + member.data
