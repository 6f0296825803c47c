"""Sentences that VDBA and Align-VDBA translate differently, chosen by a rule and not by taste.

Among source sentences of 8 to 20 words and marks, as the gold set counts them, at the smallest beam and over
all sets of constraints, the five with the largest gain of Align-VDBA over VDBA in BLEU-C of the sentence; of
equal ones those with the larger gain in chrF. A sentence is taken once, with the set in which it gains the
most. How often there is a gain or a loss is counted, and the largest loss is kept too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from experiments.paper.pipeline.gold import read_gold
from experiments.paper.pipeline.scoring import WINDOW
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.systems import read_texts
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages import decode
from experiments.paper.stages.sample import read_set
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.metrics.bleu_c import bleu_c
from lexalign.metrics.ngram_statistics import chrf_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics
from lexalign.metrics.words import WordOptions

SYSTEMS = ("vdba", "align-vdba")
NUM_EXAMPLES = 5
WORDS = (8, 20)  # of a source sentence, the least and the most


@dataclass(frozen=True, kw_only=True)
class Anecdote:
    """What each of the systems makes of a sentence with one set of constraints."""

    number: int  # of the sentence, from 1
    set_number: int
    sentence: ConstrainedText
    reference: str
    texts: tuple[str, ...]
    bleu_c: tuple[float, ...]
    chrf: tuple[float, ...]

    @property
    def gain(self) -> tuple[float, float]:
        return self.bleu_c[1] - self.bleu_c[0], self.chrf[1] - self.chrf[0]

    def content(self) -> dict[str, Any]:
        text, constraints = self.sentence
        return {
            "sentence": self.number,
            "set": self.set_number,
            "source": text,
            "constraints": [[text[slice(*one.source)], one.targets[0]] for one in constraints if one.source],
            "reference": self.reference,
            "texts": dict(zip(SYSTEMS, self.texts, strict=True)),
            "bleu_c": {name: round(score, 1) for name, score in zip(SYSTEMS, self.bleu_c, strict=True)},
        }


def run(workspace: Workspace, _: str) -> Result:
    beam = min(workspace.pair.setting.beams)
    found = [
        anecdote
        for number in range(1, workspace.pair.setting.sets + 1)
        for anecdote in _of_set(workspace, beam, number)
    ]
    gains = [round(one.gain[0], 6) for one in found]
    return {
        "beam": beam,
        "words": WORDS,
        "window": WINDOW,
        "decoded_on": _device(workspace, beam),
        "compared": len(found),
        "better": sum(gain > 0 for gain in gains),
        "worse": sum(gain < 0 for gain in gains),
        "same_text": sum(len(set(one.texts)) == 1 for one in found),
        "examples": [one.content() for one in choose(found, NUM_EXAMPLES)],
        "other_way": [one.content() for one in choose(found, 1, largest=False)],
    }


def _device(workspace: Workspace, beam: int) -> str:
    """The device of the searches of this beam, where they say so, or of the stage."""
    decoded = workspace.found("decode")
    assert decoded is not None
    said = decoded["result"].get("devices", {}).get(str(beam), {})
    found = {said.get(name) or decoded["signature"]["device"] for name in SYSTEMS}
    return " and ".join(sorted(found))


def options(workspace: Workspace) -> object:
    return [SYSTEMS, NUM_EXAMPLES, WORDS, WINDOW, workspace.pair.lowercase, workspace.pair.bleu_tokenizer]


def choose(found: Sequence[Anecdote], count: int, *, largest: bool = True) -> list[Anecdote]:
    """Choose those with the largest gain, or with the largest loss, each sentence once."""
    sign = -1 if largest else 1
    ordered = sorted(found, key=lambda one: (*(sign * gain for gain in one.gain), one.number, one.set_number))
    once: dict[int, Anecdote] = {}
    for anecdote in ordered:
        if sign * anecdote.gain[0] < 0:
            once.setdefault(anecdote.number, anecdote)
    return list(once.values())[:count]


def _of_set(workspace: Workspace, beam: int, number: int) -> list[Anecdote]:
    """All sentences of a set that have constraints and the right length."""
    gold, sentences = read_gold(workspace), read_set(workspace, number)
    references = gold.references
    folder = decode.texts_folder(workspace, workspace.fingerprint("decode"))
    texts = [read_texts(folder, name, beam, decode.set_name(name, number))["texts"] for name in SYSTEMS]
    scores = [_scores(workspace, lines, references, sentences) for lines in texts]
    return [
        Anecdote(
            number=place + 1,
            set_number=number,
            sentence=sentence,
            reference=references[place],
            texts=tuple(lines[place] for lines in texts),
            bleu_c=tuple(by_bleu_c[place] for by_bleu_c, _ in scores),
            chrf=tuple(by_chrf[place] for _, by_chrf in scores),
        )
        for place, sentence in enumerate(sentences)
        if sentence[1] and WORDS[0] <= len(gold.pairs[place][0].words) <= WORDS[1]
    ]


def _scores(
    workspace: Workspace,
    texts: Sequence[str],
    references: Sequence[str],
    sentences: Sequence[ConstrainedText],
) -> tuple[list[float], list[float]]:
    """BLEU-C and chrF of each sentence."""
    lowercase = workspace.pair.lowercase
    placed = bleu_c(
        texts,
        references,
        [constraints for _, constraints in sentences],
        WordOptions(ignore_case=lowercase),
        window=WINDOW,
        tokenizer=workspace.pair.bleu_tokenizer,
    )
    return _by_segment(placed), _by_segment(chrf_statistics(texts, references, ignore_case=lowercase))


def _by_segment(statistics: SegmentStatistics) -> list[float]:
    return [float(score) for score in statistics.combine(statistics.rows)]


STAGE = Stage(name="anecdotes", run=run, options=options, needs=("decode",))
