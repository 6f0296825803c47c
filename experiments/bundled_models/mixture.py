"""What a student learns from: what its teacher makes of all source text, what the teacher of the other
direction makes of all target text, and some of the text that people have written.

For German to English, of Europarl (the largest corpus), Tatoeba, and some English text:

    Europarl, Tatoeba                 German, and the teacher's English         (distillation)
    Europarl, Tatoeba, English text   the other teacher's German, and English   (back-translation)
    Tatoeba, four times               German and English
    a quarter of Europarl             German and English

Without a teacher it learns from what people have written alone; see `mixed_text`.

After Kim and Rush 2016, "Sequence-Level Knowledge Distillation", and Sennrich et al. 2016, "Improving Neural
Machine Translation Models with Monolingual Data".
"""

from collections.abc import Iterator
from pathlib import Path

from experiments.bundled_models.corpora import sample_pairs, sentences_to_translate
from experiments.bundled_models.mixed_text import mixed_text
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import digest
from lexalign.data.reader import ParallelText
from lexalign.models.folder import load_config
from lexalign.storage import new_folder

_LONGEST = 1_000  # bytes of a sentence; the teacher may have room for less


def shards(workspace: BundleWorkspace, direction: Direction) -> list[tuple[Path, list[str]]]:
    """The folders of a direction's shards, and the sentences that are or will be translated there.

    A folder's name depends on all but the limit, so that a higher limit keeps what there is.
    """
    setting = workspace.setting
    room = load_config(workspace.teacher(direction)).max_positions - 1
    lines = sentences_to_translate(
        workspace.corpora,
        workspace.pair.languages(direction)[0],
        limit=setting.limit,
        max_bytes=min(_LONGEST, room - 1),
        seed=setting.seed,
    )
    made_from = [
        workspace.fingerprint("prepare"),
        workspace.fingerprint("teacher"),
        setting.beam,
        setting.seed,
    ]
    folder = workspace.folder / "distilled" / digest(made_from) / direction
    parts = [lines[first : first + setting.shard] for first in range(0, len(lines), setting.shard)]
    return [(folder / f"{number:04}-{len(part)}", part) for number, part in enumerate(parts)]


def distilled_texts(workspace: BundleWorkspace, direction: Direction) -> list[ParallelText]:
    """All translations of both teachers, as a direction sees them."""
    source, target = workspace.pair.languages(direction)
    done = workspace.result("distil")
    folders = [workspace.folder / name for way in DIRECTIONS for name in done[way]["folders"]]
    return [ParallelText(folder / f"text.{source}", folder / f"text.{target}") for folder in folders]


def original_texts(workspace: BundleWorkspace, direction: Direction) -> list[ParallelText]:
    """Human text for a student; small corpora are in it more than once."""
    source, target = workspace.pair.languages(direction)
    corpora, setting = workspace.corpora, workspace.setting
    if setting.mixture is not None:
        folder = workspace.folder / "mixed"
        return mixed_text(
            corpora, setting.mixture, (source, target), folder, seed=setting.seed, workers=setting.workers
        )
    smaller = [corpus.pairs(source, target) for corpus in corpora.smaller]
    return [*smaller * setting.repeats, _share_of_largest(workspace, source, target)]


def original_sentences(workspace: BundleWorkspace) -> Iterator[str]:
    """The sentences that the vocabulary is learnt from, of both languages."""
    for text in original_texts(workspace, "forward"):
        for pair in text.read():
            yield from pair


def _share_of_largest(workspace: BundleWorkspace, source: str, target: str) -> ParallelText:
    setting, largest = workspace.setting, workspace.corpora.largest
    if setting.original_share >= 1:
        return largest.pairs(source, target)
    languages = workspace.pair.languages("forward")
    made_from = [largest.name, largest.size, setting.original_share, setting.seed]
    folder = workspace.folder / "original" / digest(made_from)
    if not folder.exists():
        pairs = list(sample_pairs(largest.pairs(*languages), setting.original_share, setting.seed))
        with new_folder(folder) as new:
            for side, language in enumerate(languages):
                text = "".join(pair[side] + "\n" for pair in pairs)
                (new / f"text.{language}").write_text(text, encoding="utf-8")
    return ParallelText(folder / f"text.{source}", folder / f"text.{target}")
