"""Files of rows by keys, in parts, so that as many workers can each merge a part of all shards.

    [25, 0, 12, …]        the bytes of each part
    bank account\t…       the rows of the first part, in the order of their keys
    …

The part of a key depends on the key alone, so that it is the same in every shard.
"""

import heapq
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from zlib import crc32

from lexalign.storage import new_file

NUM_PARTS = 32
Row = tuple[str, str]  # key, content


def part_of(key: str) -> int:
    return crc32(key.encode("utf-8", "surrogatepass")) % NUM_PARTS


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    parts: list[list[Row]] = [[] for _ in range(NUM_PARTS)]
    for row in rows:
        parts[part_of(row[0])].append(row)
    contents = ["".join(f"{key}\t{content}\n" for key, content in sorted(part)).encode() for part in parts]
    with new_file(path) as temporary, temporary.open("wb") as file:
        file.write(json.dumps([len(content) for content in contents]).encode() + b"\n")
        file.writelines(contents)


def read_rows(path: Path, part: int) -> Iterator[Row]:
    with path.open("rb") as file:
        sizes = json.loads(file.readline())
        file.seek(sum(sizes[:part]), 1)
        left = sizes[part]
        while left > 0:
            line = file.readline()
            left -= len(line)
            key, _, content = line.decode().rstrip("\n").partition("\t")
            yield key, content


def merge_rows(paths: Iterable[Path], part: int) -> Iterator[tuple[str, list[str]]]:
    """The keys of a part in their order, each with its rows in the order of the files; nothing is held."""
    rows = heapq.merge(*(read_rows(path, part) for path in paths), key=itemgetter(0))
    for key, same in groupby(rows, itemgetter(0)):
        yield key, [content for _, content in same]
