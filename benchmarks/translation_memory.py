"""How long a translation memory takes, and how much memory, for memories of any size.

    python benchmarks/translation_memory.py --segments segments.en

Segments are the lines of a file, or made up. The memory is made up of their words, and has each segment once
as it is and once with one word exchanged. Times are those of the processor.
"""

import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.markup import TaggedText
from lexalign.memory import MatchOptions, find_matches, read_memory, write_memory

LANGUAGES = ("en", "de")


def made_up_segments(number: int) -> list[str]:
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefgh", k=draw.randint(2, 9))) for _ in range(2_000)]
    return [" ".join(draw.choices(words, k=draw.randint(4, 25))) for _ in range(number)]


def units(segments: list[str], size: int) -> Iterator[tuple[TaggedText, TaggedText]]:
    draw = random.Random(2)
    words = " ".join(segments).split()
    for segment in segments:
        exchanged = segment.split()
        exchanged[draw.randrange(len(exchanged))] = "exchanged"
        for text in (segment, " ".join(exchanged)):
            yield TaggedText(text), TaggedText("x " + text)
    for _ in range(size - 2 * len(segments)):
        text = " ".join(draw.choices(words, k=draw.randint(4, 25)))
        yield TaggedText(text), TaggedText("x " + text)


def measure(segments: list[str], size: int, path: Path) -> dict[str, float]:
    path.unlink(missing_ok=True)
    write_memory(path, units(segments, size), LANGUAGES)
    start = time.process_time()
    num_units = sum(1 for _ in read_memory(path, LANGUAGES))
    read = time.process_time()
    exact = find_matches(segments, read_memory(path, LANGUAGES), MatchOptions(similarity=100))
    looked_up = time.process_time()
    near = find_matches(segments, read_memory(path, LANGUAGES))
    end = time.process_time()
    return {
        "units": num_units,
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "seconds to read": round(read - start, 2),
        "with exact matches": round(looked_up - read, 2),
        "with near matches": round(end - looked_up, 2),
        "exact found": len(exact),
        "near found": sum(any(match.similarity < 100 for match in found) for found in near.values()),
        "peak megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
    }


def main() -> None:
    parser = make_parser(__doc__, quick="small memories only")
    parser.add_argument("--segments", type=Path, help="a file, one segment a line")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    arguments = parser.parse_args()
    sizes = [2_000, 10_000] if arguments.quick else arguments.sizes
    segments = made_up_segments(1_000)
    if arguments.segments:
        segments = [line for line in arguments.segments.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        results = [measure(segments, size, Path(folder) / "memory.tmx") for size in sizes]
    for name in results[0]:
        print(f"{name:<22}" + "".join(f"{row[name]:>14,}" for row in results))
    write_json(arguments.json, {"signature": signature("cpu", segments=len(segments)), "results": results})


if __name__ == "__main__":
    main()
