"""The tokenizer of one side of an imported model: a segmenter and the vocabulary of its pieces."""

from collections.abc import Iterable, Sequence
from copy import copy

from lexalign.text.foreign.segmenters import Segmenter
from lexalign.text.foreign.spellings import UNKNOWN, SpellingName, decode_pieces, display_piece
from lexalign.text.subwords import Encoding
from lexalign.text.surface import Span, check_unicode


class ForeignSide:
    """Implements `SubwordTokenizer`.

    `vocabulary` has the piece of every id; `controls` are ids without text: the end of sentence, language
    codes, and unused entries.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        vocabulary: Sequence[str],
        *,
        unk_id: int,
        controls: Iterable[int],
        spelling: SpellingName,
    ) -> None:
        self.segmenter, self.vocabulary, self.unk_id, self.spelling = segmenter, vocabulary, unk_id, spelling
        self.controls = frozenset(controls)
        self._ids = {piece: index for index, piece in enumerate(vocabulary) if index not in self.controls}
        self._prefix: tuple[int, ...] = ()

    def with_prefix(self, prefix: tuple[int, ...]) -> "ForeignSide":
        """The same tokenizer with these ids before every sentence."""
        view = copy(self)
        view._prefix = prefix
        return view

    @property
    def vocabulary_size(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str) -> list[int]:
        return self.encode_batch([text])[0]

    def encode_inside(self, text: str) -> list[int]:
        (pieces,) = self.segmenter.segment([f" {text}" if self.spelling == "bytes" else text], 1)
        return self._look_up(pieces)

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]:
        for text in texts:
            check_unicode(text)
        return [
            [*self._prefix, *self._look_up(pieces)] for pieces in self.segmenter.segment(texts, num_threads)
        ]

    def encode_with_offsets(self, text: str) -> Encoding:
        check_unicode(text)
        pieces, spans = self.segmenter.segment_with_spans(text)
        ids = [*self._prefix, *self._look_up(pieces)]
        return Encoding(ids=ids, pieces=self.pieces(ids), spans=[*[(0, 0)] * len(self._prefix), *spans])

    def decode(self, ids: Sequence[int]) -> str:
        return self.decode_with_offsets(ids)[0]

    def decode_with_offsets(self, ids: Sequence[int]) -> tuple[str, list[Span]]:
        return decode_pieces([self._text_piece(index) for index in ids], self.spelling)

    def pieces(self, ids: Iterable[int]) -> list[str]:
        return [self.piece(index) for index in ids]

    def piece(self, index: int) -> str:
        return display_piece(self.vocabulary[index], self.spelling)

    def _look_up(self, pieces: Sequence[str]) -> list[int]:
        return [self._ids.get(piece, self.unk_id) for piece in pieces]

    def _text_piece(self, index: int) -> str | None:
        if index == self.unk_id:
            return UNKNOWN
        return None if index in self.controls else self.vocabulary[index]
