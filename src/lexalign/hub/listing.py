"""What an index says of a model: its files, with their addresses, sizes and checksums."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.text.subwords import Languages

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Checksum:
    """`git` is the number that git gives a file: SHA-1 over its size and its content."""

    kind: Literal["sha256", "git"]
    digest: str

    def matches(self, path: Path) -> bool:
        found = hashlib.sha256() if self.kind == "sha256" else hashlib.sha1(usedforsecurity=False)
        if self.kind == "git":
            found.update(f"blob {path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
        return found.hexdigest() == self.digest.lower()


@dataclass(frozen=True, kw_only=True)
class RemoteFile:
    name: str
    url: str
    size: int | None = None
    checksum: Checksum | None = None  # None where the index publishes none
    headers: Mapping[str, str] = field(default_factory=dict)  # sent to the host of the address alone

    def __post_init__(self) -> None:
        if not self.name or Path(self.name).name != self.name or self.name.startswith("."):
            raise LexalignError(f"the index names a file {self.name!r}, which is not a plain name")
        if not self.url.startswith(("https://", "http://")):
            raise LexalignError(f"the index names {self.url}, which is not a web address")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A model in an index; `languages` where the name does not leave them to the model's own files."""

    name: str
    version: str
    files: tuple[RemoteFile, ...]
    languages: Languages | None = None
    packed: bool = False  # its only file is the model, not one of a folder

    @property
    def size(self) -> int:
        return sum(file.size or 0 for file in self.files)
