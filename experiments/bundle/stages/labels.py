"""Word links of the teachers' heads, both directions made one, over text that the students have learnt from.

The vocabularies differ, so links go from the teacher's subwords to the student's by their characters:

    teacher      ▁Aus schuss ▁tagt          Ausschuss = 0-9, tagt = 9-14
    student      ▁Ausschuss ▁ta gt          ▁Aus and schuss are both ▁Ausschuss, ▁tagt is ▁ta and gt
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from experiments.bundle.mixture import distilled_texts, original_texts
from experiments.bundle.workspace import BundleWorkspace
from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.workspace import Result
from lexalign.alignment.formats import pharaoh_line
from lexalign.alignment.symmetrization import Method, Point, symmetrize_links
from lexalign.contracts.alignment import Link, Span
from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText
from lexalign.storage import new_folder
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator.constraint_tokens import touched
from lexalign.translator.word_aligner import AlignedPair, WordAligner, read_words

SYMMETRIZATION: Method = "grow-diag"  # the paper's
Pair = tuple[str, str]


def run(workspace: BundleWorkspace, fingerprint: str) -> Result:
    folder = workspace.folder / "labels" / fingerprint
    aligners = [
        WordAligner.load(workspace.teacher(direction), "post-aln", device=workspace.device)
        for direction in DIRECTIONS
    ]
    tokenizer, size = Tokenizer.load(workspace.tokenizer), workspace.setting.shard
    sample = _sample(workspace)
    texts = {"valid": list(workspace.text("valid").read())}
    texts |= {f"{first // size:04}": sample[first : first + size] for first in range(0, len(sample), size)}
    for name, pairs in texts.items():
        if not (folder / name).exists():
            _write(folder / name, workspace, pairs, align_mutually(aligners, tokenizer, pairs))
            workspace.say(f"labels: {name}, {len(pairs)} pairs")
    return {"folder": str(folder.relative_to(workspace.folder)), "pairs": len(sample)}


def options(workspace: BundleWorkspace) -> object:
    setting = workspace.setting
    return [setting.label_pairs, setting.repeats, setting.original_share, setting.seed, SYMMETRIZATION]


def label_shards(workspace: BundleWorkspace) -> list[Path]:
    folder = workspace.folder / str(workspace.result("labels")["folder"])
    return sorted(path for path in folder.iterdir() if path.name.isdigit())


def align_mutually(
    aligners: Sequence[WordAligner], tokenizer: Tokenizer, pairs: Sequence[Pair]
) -> Iterator[str]:
    """A line of links between the student's subwords for each pair."""
    read = [(read_words(source), read_words(target)) for source, target in pairs]
    forward = aligners[0].align(read, batch_tokens=16_384)
    backward = aligners[1].align([(target, source) for source, target in read], batch_tokens=16_384)
    for (source, target), ahead, back in zip(pairs, forward, backward, strict=True):
        points = symmetrize_links(_points(ahead), ((s, t) for t, s in _points(back)), SYMMETRIZATION)
        if (ahead.source_spans, ahead.target_spans) != (back.target_spans, back.source_spans):
            raise LexalignError("the teachers of both directions have different vocabularies")
        own = (tokenizer.encode_with_offsets(text).spans for text in (source, target))
        yield pharaoh_line([Link(*point) for point in carry_over(points, ahead, *own)])


def carry_over(
    points: Iterable[Point], pair: AlignedPair, source: Sequence[Span], target: Sequence[Span]
) -> list[Point]:
    """Links between a pair's subwords as links between other subwords, which share characters with them."""
    sources = [touched(source, span) for span in pair.source_spans]
    targets = [touched(target, span) for span in pair.target_spans]
    return sorted({(s, t) for first, second in points for s in sources[first] for t in targets[second]})


def _points(pair: AlignedPair) -> list[Point]:
    return [(link.source, link.target) for link in pair.subwords.links]


def _sample(workspace: BundleWorkspace) -> list[Pair]:
    """Evenly from all that the forward student has learnt from, sentences the aligners have room for."""
    texts = [*distilled_texts(workspace, "forward"), *original_texts(workspace, "forward")]
    count, random = workspace.setting.label_pairs, Random(workspace.setting.seed)
    total = sum(_num_lines(text) for text in texts)
    share = min(1.0, 1.1 * count / max(total, 1))  # a little over, for what has no room
    chosen = (pair for text in texts for pair in text.read() if random.random() < share)
    found = list(islice((pair for pair in chosen if _fits(pair)), 2 * count))
    random.shuffle(found)
    return found[:count]


def _fits(pair: Pair, longest: int = 600) -> bool:
    return all(side.strip() and len(side.encode()) <= longest for side in pair)


def _num_lines(text: ParallelText) -> int:
    with text.source.open("rb") as file:
        return sum(1 for _ in file)


def _write(folder: Path, workspace: BundleWorkspace, pairs: Sequence[Pair], links: Iterable[str]) -> None:
    languages = workspace.pair.languages("forward")
    columns = {
        f"text.{languages[0]}": [pair[0] for pair in pairs],
        f"text.{languages[1]}": [pair[1] for pair in pairs],
        "links": list(links),
    }
    with new_folder(folder) as new:
        for name, lines in columns.items():
            (new / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


STAGE = Stage(name="labels", run=run, options=options, needs=("student", "teacher-heads"))
