"""A shortlist for a model: learnt from parallel text or from the model's own translations, and measured.

It is measured on pairs that it was not learnt from, by translating them with the list and without.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.metrics.quality import bleu
from lexalign.training.shortlist import ShortlistOptions, TokenPair, learn_shortlist, recall
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import TranslateOptions
from lexalign.translator.translator import Translator

_HELD_OUT = 500  # pairs, or a tenth if that is less
_LEAST_PAIRS = 1_000
SAME_ENOUGH = 0.98  # of translations, where there are no references that tell better from worse


@dataclass(frozen=True, kw_only=True)
class ShortlistReport:
    """What a list does to held-out sentences."""

    num_sentences: int
    recall: float  # of the target tokens of the pairs
    same: float  # translations that stay as they are, as a share
    mean_length: float  # of the lists
    vocabulary_size: int
    speed: float  # CPU time without the list over CPU time with it
    bleu: tuple[float, float] | None  # without and with the list; None without references

    @property
    def no_loss(self) -> bool:
        return self.same >= SAME_ENOUGH if self.bleu is None else self.bleu[1] >= self.bleu[0]


def make_shortlist(
    folder: Path,
    sources: Sequence[str],
    targets: Sequence[str] | None,
    *,
    options: ShortlistOptions,
    search: TranslateOptions,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[LexicalShortlist, ShortlistReport]:
    """Learn a list from sentence pairs, or from sources and the model's own greedy translations."""
    if len(sources) < _LEAST_PAIRS:
        raise LexalignError(
            f"{len(sources)} sentences are too few; a shortlist needs {_LEAST_PAIRS:,} or more"
        )
    model = ModelResources.load(folder, "cpu", None)
    plain = translator_with(model, None)
    learnt_from = targets
    if learnt_from is None:
        say(f"translating {len(sources):,} sentences")
        greedy = replace(search, beam=1, shortlist=False)
        learnt_from = [one.text for one in plain.translate(list(sources), greedy)]
    pairs = _token_pairs(model, sources, learnt_from)
    held_out = min(_HELD_OUT, len(pairs) // 10)
    tokenizer, vocabulary = model.tokenizer, model.weights.vocabulary
    shortlist = learn_shortlist(
        pairs[:-held_out],
        sizes=(tokenizer.source_size, vocabulary.size),
        eos_id=vocabulary.eos_id,
        shared=tokenizer.mirrored,
        options=options,
        say=say,
    )
    references = None if targets is None else targets[-held_out:]
    say(f"translating {held_out} other sentences with the list and without")
    report = _measure(model, shortlist, pairs[-held_out:], sources[-held_out:], references, search)
    return shortlist, report


def _measure(
    model: ModelResources,
    shortlist: LexicalShortlist,
    pairs: Sequence[TokenPair],
    sources: Sequence[str],
    references: Sequence[str] | None,
    search: TranslateOptions,
) -> ShortlistReport:
    plain, listed = translator_with(model, None), translator_with(model, shortlist)
    search = replace(search, workers=1)  # the CPU time of this process is taken
    for warm_up in (plain, listed):
        warm_up.translate(list(sources[:1]), search)
    without, seconds_without = _timed(plain, sources, search)
    with_list, seconds_with = _timed(listed, sources, search)
    eos_id = model.weights.vocabulary.eos_id
    lengths = [
        len({int(one) for token in (*source, eos_id) for one in shortlist.targets(token)})
        for source, _ in pairs
    ]
    return ShortlistReport(
        num_sentences=len(sources),
        recall=recall(shortlist, pairs, eos_id),
        same=sum(map(str.__eq__, without, with_list)) / len(sources),
        mean_length=sum(lengths) / len(lengths),
        vocabulary_size=model.weights.vocabulary.size,
        speed=seconds_without / seconds_with,
        bleu=None
        if references is None
        else (bleu(without, references).value, bleu(with_list, references).value),
    )


def _timed(
    translator: Translator, sources: Sequence[str], search: TranslateOptions
) -> tuple[list[str], float]:
    started = time.process_time()
    found = [one.text for one in translator.translate(list(sources), search)]
    return found, time.process_time() - started


def translator_with(model: ModelResources, shortlist: LexicalShortlist | None) -> Translator:
    """A translator by the same model with another list, or with none."""
    changed = replace(model, shortlist=shortlist)
    return Translator(changed, lambda: changed)


def _token_pairs(model: ModelResources, sources: Sequence[str], targets: Sequence[str]) -> list[TokenPair]:
    tokenizer = model.tokenizer
    encoded = zip(
        tokenizer.source.encode_batch(list(sources)),
        tokenizer.target.encode_batch(list(targets)),
        strict=True,
    )
    return list(encoded)
