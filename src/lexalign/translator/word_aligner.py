"""Finished translations in, word links out: a tokenizer, a model and an aligner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.alignment.forced import force_target
from lexalign.alignment.links import LinkOptions, best_links, subword_alignment
from lexalign.alignment.words import word_alignment
from lexalign.contracts.alignment import Aligner, SubwordAlignment, WordAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.data.collate import pad_sentences
from lexalign.decoding.stream import plan_batches
from lexalign.models.transformer import Transformer
from lexalign.text.spacing import space_words
from lexalign.text.subwords import Encoding, Languages, ModelTokenizer
from lexalign.text.surface import Span
from lexalign.text.words import join_words, words_of
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import AlignerName

Spacing = Literal["raw", "words", "characters"]  # how words are told apart in a line, see `read_words`


@dataclass(frozen=True, kw_only=True)
class WordText:
    """A line, the text that a model is shown of it, and where its words stand in both."""

    line: str
    text: str
    words: tuple[str, ...]
    spans: tuple[Span, ...]  # in the text
    line_spans: tuple[Span, ...]


def read_words(line: str, spacing: Spacing = "raw") -> WordText:
    """The words of a line.

    `raw` is running text, whose words stand between spaces. `words` are separate already, punctuation too:
    the model is shown them as they would be written. `characters` is the same for languages without spaces.
    What marks their spaces in the line (see `space_words`) is not in the words.
    """
    words, line_spans = words_of(line)
    text, spans = line, line_spans
    if spacing != "raw":
        text, spans = space_words(words) if spacing == "words" else join_words(words, "")
        words = [text[start:end] for start, end in spans]
    return WordText(
        line=line, text=text, words=tuple(words), spans=tuple(spans), line_spans=tuple(line_spans)
    )


@dataclass(frozen=True, kw_only=True)
class AlignedPair:
    """The alignment of a pair, over subwords and over words."""

    source: WordText
    target: WordText
    subwords: SubwordAlignment
    source_spans: tuple[Span, ...]  # of the subwords
    target_spans: tuple[Span, ...]
    words: WordAlignment


class WordAligner:
    """Aligns by forced decoding; see `WordAligner.load`."""

    def __init__(
        self,
        model: Transformer,
        tokenizer: ModelTokenizer,
        aligner: Aligner,
        options: LinkOptions | None = None,
    ) -> None:
        self._model, self._tokenizer, self.aligner = model, tokenizer, aligner
        self._options = options or LinkOptions()

    @classmethod
    def load(
        cls,
        path: Path | str,
        method: AlignerName = "auto",
        *,
        device: str = "auto",
        place: AttentionPlace | None = None,
        options: LinkOptions | None = None,
        pin_marks: bool = False,
        languages: Languages | None = None,
    ) -> "WordAligner":
        """Read a model and the aligner beside it; `place` is for attention, over the saved one."""
        found = ModelResources.load(Path(path), _device(device), None, languages)
        aligner = found.aligner(method, place, pin_marks=pin_marks)
        return cls(found.transformer, found.tokenizer, aligner, options)

    @property
    def signature(self) -> str:
        return f"{self.aligner.signature}|end:{self._options.end}|threshold:{self._threshold:g}"

    @property
    def _threshold(self) -> float:
        asked = self._options.threshold
        return self.aligner.threshold if asked is None else asked

    def fits(self, source: str, target: str) -> bool:
        """Whether a pair is short enough for the model."""
        pair = (
            self._tokenizer.source.encode_with_offsets(source),
            self._tokenizer.target.encode_with_offsets(target),
        )
        return max(len(side.ids) for side in pair) <= self._max_tokens

    def align(
        self, pairs: Sequence[tuple[WordText, WordText]], *, batch_tokens: int = 4096, first_line: int = 1
    ) -> Iterator[AlignedPair]:
        """In order. Sentences without a subword on one side have no links; `first_line` is for errors."""
        source, target = self._tokenizer.source, self._tokenizer.target
        encodings = [
            (source.encode_with_offsets(first.text), target.encode_with_offsets(second.text))
            for first, second in pairs
        ]
        self._check_lengths(encodings, first_line)
        lengths = [max(len(side.ids) for side in pair) + 1 for pair in encodings]
        found: dict[int, SubwordAlignment] = {}
        for batch in plan_batches(lengths, batch_tokens):
            found.update(zip(batch, self._align([encodings[index] for index in batch]), strict=True))
        for index, (pair, encoding) in enumerate(zip(pairs, encodings, strict=True)):
            yield _aligned(pair, encoding, found[index], self._threshold)

    @property
    def _max_tokens(self) -> int:
        return self._model.config.max_positions - 1 - len(self._model.vocabulary.target_prefix)

    def _check_lengths(self, encodings: Sequence[tuple[Encoding, ...]], first_line: int) -> None:
        limit = self._max_tokens
        for number, pair in enumerate(encodings, start=first_line):
            longest = max(len(side.ids) for side in pair)
            if longest > limit:
                raise LexalignError(
                    f"line {number}: {longest} tokens are over the model's limit of {limit}; split it"
                )

    @torch.inference_mode()
    def _align(self, batch: Sequence[tuple[Encoding, ...]]) -> Iterator[SubwordAlignment]:
        vocabulary, device = self._model.vocabulary, self._model.device
        source_ids, target_ids = (
            pad_sentences([[*pair[side].ids, vocabulary.eos_id] for pair in batch], vocabulary.pad_id).to(
                device
            )
            for side in (0, 1)
        )
        forced = force_target(self._model, source_ids, target_ids, self.aligner.layer)
        probabilities = self.aligner.align(forced)
        links = best_links(probabilities, forced.source_content, forced.target_content, self._options.end)
        for row, (source, target) in enumerate(batch):
            # An end of sentence keeps its probability, and has no links.
            yield subword_alignment(
                probabilities[row, : len(target.ids), : len(source.ids) + 1].float().cpu(),
                links[row, : len(target.ids), : len(source.ids)].cpu(),
            )


def _aligned(
    pair: tuple[WordText, WordText],
    encoding: tuple[Encoding, ...],
    alignment: SubwordAlignment,
    threshold: float,
) -> AlignedPair:
    (source, target), (source_pieces, target_pieces) = pair, encoding
    words = word_alignment(
        alignment.links,
        alignment.probabilities[:, : len(source_pieces.ids)],
        (source.words, source.spans, source_pieces.spans),
        (target.words, target.spans, target_pieces.spans),
        threshold,
    )
    return AlignedPair(
        source=source,
        target=target,
        subwords=alignment,
        source_spans=tuple(source_pieces.spans),
        target_spans=tuple(target_pieces.spans),
        words=words,
    )


def _device(name: str) -> str:
    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name
