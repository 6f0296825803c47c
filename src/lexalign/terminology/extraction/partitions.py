"""Files of rows by keys, in parts, so that as many workers can each merge a part of all shards.

    [25, 0, 12, …]        the bytes of each part
    bank account\t…       the rows of the first part
    …

The part of a key depends on the key alone, so that it is the same in every shard. There are at least as many
parts as shards: a part of all shards is then no larger than a shard, and is merged in memory.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from lexalign.storage import new_file

MIN_PARTS = 32
Row = tuple[str, str]  # key, content


def part_of(key: str, num_parts: int) -> int:
    return crc32(key.encode("utf-8", "surrogatepass")) % num_parts


def write_rows(path: Path, rows: Iterable[Row], num_parts: int) -> None:
    parts: list[list[str]] = [[] for _ in range(num_parts)]
    for key, content in rows:
        parts[part_of(key, num_parts)].append(f"{key}\t{content}\n")
    contents = ["".join(part).encode() for part in parts]
    with new_file(path) as temporary, temporary.open("wb") as file:
        file.write(json.dumps([len(content) for content in contents]).encode() + b"\n")
        file.writelines(contents)


def merge_rows(paths: Iterable[Path], part: int) -> Iterator[tuple[str, list[str]]]:
    """The keys of a part, each with its rows in the order of the files."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for row in _read_part(path, part).split("\n")[:-1]:
            key, _, content = row.partition("\t")
            rows = found.get(key)
            if rows is None:
                found[key] = [content]
            else:
                rows.append(content)
    yield from found.items()


def _read_part(path: Path, part: int) -> str:
    with path.open("rb") as file:
        sizes = json.loads(file.readline())
        file.seek(sum(sizes[:part]), 1)
        return file.read(sizes[part]).decode()
