"""Links by the heads of two models, made one, between the subwords of another vocabulary.

Words are linked by the mean of both directions' probabilities; of two words that are linked, each subword is
linked with the one it most probably belongs to.

Links go from the teachers' subwords to the student's by the characters that both spell:

    teacher      ▁Aus schuss ▁tagt          links of ▁Aus and of schuss are links of ▁Ausschuss,
    student      ▁Ausschuss ▁ta gt          those of ▁tagt are links of ▁ta and of gt
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from lexalign.alignment.forced import force_target
from lexalign.alignment.posteriors import agreed_links, word_indexes, word_posteriors
from lexalign.alignment.symmetrization import Point
from lexalign.contracts.alignment import Aligner, Span
from lexalign.contracts.errors import LexalignError
from lexalign.data.collate import pad_sentences
from lexalign.decoding.stream import plan_batches
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import Encoding, SubwordTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator.aligners import load_aligner

Pair = tuple[str, str]
Encodings = tuple[Encoding, Encoding]


class TeacherLinks:
    def __init__(
        self,
        models: Sequence[tuple[Transformer, Aligner]],
        vocabulary: SubwordTokenizer,
        other: SubwordTokenizer,
    ) -> None:
        """Models of both directions with one `vocabulary`; links are between the subwords of the `other`."""
        self._models, self._vocabulary, self._other = models, vocabulary, other
        self._continuing = word_continuation_mask(vocabulary).to(models[0][0].device)
        self.max_tokens = min(model.config.max_positions for model, _ in models) - 2

    @classmethod
    def load(cls, forward: Path, backward: Path, other: SubwordTokenizer, *, device: str) -> "TeacherLinks":
        loaded = [load_model(path, device=device) for path in (forward, backward)]
        tokenizer = loaded[0][1]
        if loaded[1][1].fingerprint != tokenizer.fingerprint:
            raise LexalignError(f"{forward} and {backward} have different vocabularies; links need one")
        aligners = [
            load_aligner(path, *one, "post-aln")
            for path, one in zip((forward, backward), loaded, strict=True)
        ]
        return cls(
            [(one[0], aligner) for one, aligner in zip(loaded, aligners, strict=True)],
            tokenizer.source,
            other,
        )

    def align(self, pairs: Sequence[Pair], *, batch_tokens: int) -> list[list[Point]]:
        """Links of each pair, source first; those that are too long have none."""
        encoded: list[Encodings] = [
            (self._vocabulary.encode_with_offsets(source), self._vocabulary.encode_with_offsets(target))
            for source, target in pairs
        ]
        lengths = [max(len(side.ids) for side in pair) + 1 for pair in encoded]
        found: list[list[Point]] = [[] for _ in pairs]
        short = [index for index, length in enumerate(lengths) if length - 1 <= self.max_tokens]
        for places in plan_batches([lengths[index] for index in short], batch_tokens):
            batch = [short[place] for place in places]
            for index, points in zip(batch, self._links([encoded[index] for index in batch]), strict=True):
                found[index] = self._carried(points, pairs[index], encoded[index])
        return found

    @torch.inference_mode()
    def _links(self, batch: Sequence[Encodings]) -> list[list[Point]]:
        """The links of every pair, with one transfer for all of them."""
        model = self._models[0][0]
        vocabulary = model.vocabulary
        source_ids, target_ids = (
            pad_sentences([[*pair[side].ids, vocabulary.eos_id] for pair in batch], vocabulary.pad_id).to(
                model.device
            )
            for side in (0, 1)
        )
        content = [
            (ids != vocabulary.pad_id) & (ids != vocabulary.eos_id) for ids in (source_ids, target_ids)
        ]
        sources, targets = (word_indexes(ids, self._continuing) for ids in (source_ids, target_ids))
        ahead = self._align(0, source_ids, target_ids)
        back = self._align(1, target_ids, source_ids)
        masses = (
            word_posteriors(ahead, sources, targets),
            word_posteriors(back, targets, sources).transpose(1, 2),
        )
        linked = agreed_links(masses)
        linked &= content[1][:, :, None] & content[0][:, None]
        likely = (ahead + back.transpose(1, 2)).masked_fill(~linked, 0.0)
        best = (likely == likely.amax(dim=2, keepdim=True)) | (likely == likely.amax(dim=1, keepdim=True))
        found: list[list[Point]] = [[] for _ in batch]
        for row, target, source in (linked & best).nonzero().tolist():
            found[row].append((source, target))
        return found

    def _align(self, way: int, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        model, aligner = self._models[way]
        return aligner.align(force_target(model, source_ids, target_ids, aligner.layer))

    def _carried(self, points: Iterable[Point], pair: Pair, encoded: Encodings) -> list[Point]:
        source, target = (
            carry_spans(side.spans, self._other.encode_with_offsets(text).spans)
            for side, text in zip(encoded, pair, strict=True)
        )
        return sorted({(s, t) for first, second in points for s in source[first] for t in target[second]})


def carry_spans(spans: Sequence[Span], others: Sequence[Span]) -> list[range]:
    """For each stretch of a text, which of the other stretches, all in order, share a character with it."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for index, (start, end) in enumerate(others):
        for place in range(start, end):
            first.setdefault(place, index)
            last[place] = index
    nothing = range(0)
    return [
        range(first[start], last[end - 1] + 1)
        if start < end and start in first and end - 1 in last
        else nothing
        for start, end in spans
    ]
