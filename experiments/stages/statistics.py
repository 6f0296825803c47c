"""AER of statistical aligners on the gold set, over subwords as in the paper, by `sil-thot`.

They learn from the training text with the gold sentences appended, without their links. `ibm4` are GIZA++'s
models. Where thot is not installed the stage is left out, and the tables say so.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from experiments.gold import GoldSet, read_gold
from experiments.stage import Stage, UnavailableError
from experiments.stages.align import score_both
from experiments.workspace import Result, Workspace
from lexalign.alignment.statistical import SentencePair, ThotModel, thot_align
from lexalign.alignment.words import word_alignment
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.text.tokenizer import Encoding, Tokenizer
from lexalign.translator.word_aligner import WordText

METHODS: tuple[ThotModel, ...] = ("fast-align", "ibm4")


def run(workspace: Workspace, _: str) -> Result:
    tokenizer = Tokenizer.load(workspace.tokenizer)
    gold = read_gold(workspace)
    encodings = [tuple(tokenizer.encode_with_offsets(side.text) for side in pair) for pair in gold.pairs]
    tests = [(_units(source.ids), _units(target.ids)) for source, target in encodings]
    corpus = [*_training(workspace, tokenizer), *tests]
    found = {}
    for method in METHODS:
        try:
            forward = thot_align(corpus, tests, model=method)
            backward = thot_align(_turn(corpus), _turn(tests), model=method)
        except LexalignError as error:
            raise UnavailableError(str(error)) from None
        found[method] = score_both(
            gold,
            _words(gold, encodings, forward),
            _words(gold.turned("backward"), [pair[::-1] for pair in encodings], backward),
            workspace.folder / "align",
            method,
        )
    return {"methods": found, "learnt_from": len(corpus)}


def options(workspace: Workspace) -> object:
    return [METHODS, workspace.pair.setting.statistical_pairs]


def _training(workspace: Workspace, tokenizer: Tokenizer) -> Iterator[SentencePair]:
    pairs = islice(workspace.text("train").read(), workspace.pair.setting.statistical_pairs)
    longest = workspace.pair.recipe.filters.max_tokens
    for source, target in pairs:
        units = _units(tokenizer.encode(source)), _units(tokenizer.encode(target))
        if max(len(side) for side in units) <= longest:
            yield units


def _units(ids: Sequence[int]) -> list[str]:
    """Subwords by their numbers: pieces may hold characters that these programs cannot read."""
    return [str(index) for index in ids]


def _turn(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    return [(target, source) for source, target in pairs]


def _words(
    gold: GoldSet, encodings: Sequence[tuple[Encoding, ...]], points: Sequence[list[tuple[int, int]]]
) -> list[WordAlignment]:
    return [
        word_alignment(
            [Link(*point) for point in found], None, _side(pair[0], pieces[0]), _side(pair[1], pieces[1])
        )
        for pair, pieces, found in zip(gold.pairs, encodings, points, strict=True)
    ]


def _side(
    text: WordText, pieces: Encoding
) -> tuple[Sequence[str], Sequence[tuple[int, int]], list[tuple[int, int]]]:
    return text.words, text.spans, pieces.spans


STAGE = Stage(name="statistics", run=run, options=options, needs=("prepare",))
