"""AER of statistical aligners on the gold set, over subwords as in the paper: thot's, and our own.

They learn from the training text, or from pairs spread over all of it, with the gold sentences added, without
their links. IBM 4 is the last of GIZA++'s models. `hmm-agreement` is ours, and makes one alignment of both
directions. Where thot is not installed the stage is left out, and the tables have no numbers there.

WORK/PAIR/statistics-FINGERPRINT/METHOD.json      what is there is not done again
"""

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import chain, compress

from experiments.gold import GoldSet, read_gold
from experiments.pairs import StatisticalModel
from experiments.stage import Stage, UnavailableError
from experiments.stages.align import score_both, score_links
from experiments.workspace import Result, Workspace
from lexalign.alignment.hmm import HmmOptions, align_by_agreement
from lexalign.alignment.statistical import SentencePair, thot_align
from lexalign.alignment.words import word_alignment
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.storage import write_text
from lexalign.text.subwords import Encoding
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator.word_aligner import WordText


def run(workspace: Workspace, fingerprint: str) -> Result:
    _check_installed()
    tokenizer = Tokenizer.load(workspace.tokenizer)
    gold = read_gold(workspace)
    found = {}
    for method, num_pairs in workspace.pair.setting.statistical:
        path = workspace.folder / f"statistics-{fingerprint}" / f"{method}.json"
        if not path.exists():
            scores = _align(workspace, gold, tokenizer, method, num_pairs)
            write_text(path, json.dumps(scores) + "\n")
        found[method] = json.loads(path.read_text(encoding="utf-8"))
        workspace.say(f"statistics: {method} is done")
    return {"methods": found}


def _align(
    workspace: Workspace, gold: GoldSet, tokenizer: Tokenizer, method: StatisticalModel, num_pairs: int | None
) -> Result:
    encodings = [tuple(tokenizer.encode_with_offsets(side.text) for side in pair) for pair in gold.pairs]
    # Subwords by their numbers: pieces may hold characters that these programs cannot read.
    names = [str(index) for index in range(tokenizer.vocabulary_size)]
    tests = [_units(names, (source.ids, target.ids)) for source, target in encodings]
    corpus = list(_training(workspace, tokenizer, names, num_pairs))
    learnt_from = len(corpus) + len(tests)
    folder = workspace.folder / "align"
    if method == "hmm-agreement":
        found = align_by_agreement(
            chain(tests, corpus), HmmOptions(split=False, stem=0), device=workspace.device, say=workspace.say
        )
        points = [[link[:2] for link in found[row]] for row in range(len(tests))]
        scores = {"symmetrised": score_links(gold, _words(gold, encodings, points), folder, method)}
    else:
        corpus += tests
        scores = score_both(
            gold,
            _words(gold, encodings, thot_align(corpus, tests, model=method)),
            _words(
                gold.turned("backward"),
                [pair[::-1] for pair in encodings],
                thot_align(_turn(corpus), _turn(tests), model=method),
            ),
            folder,
            method,
        )
    return scores | {"learnt_from": learnt_from}


def options(workspace: Workspace) -> object:
    return workspace.pair.setting.statistical


def _check_installed() -> None:
    try:
        import_module("thot.alignment")
    except ImportError:
        raise UnavailableError("it needs an extra: pip install 'lexalign[thot]'") from None


def _training(
    workspace: Workspace, tokenizer: Tokenizer, names: Sequence[str], num_pairs: int | None
) -> Iterator[SentencePair]:
    longest = workspace.pair.recipe.filters.max_tokens
    total = workspace.result("prepare")["train_pairs"]
    wanted = min(num_pairs or total, total)
    for source, target in compress(workspace.text("train").read(), spread(wanted, total)):
        ids = tokenizer.encode(source), tokenizer.encode(target)
        if max(len(side) for side in ids) <= longest:
            yield _units(names, ids)


def spread(wanted: int, total: int) -> Iterator[bool]:
    """Which of so many are taken, at even distances."""
    return (index * wanted % total < wanted for index in range(total))


def _units(names: Sequence[str], ids: tuple[Sequence[int], Sequence[int]]) -> SentencePair:
    return [names[index] for index in ids[0]], [names[index] for index in ids[1]]


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
