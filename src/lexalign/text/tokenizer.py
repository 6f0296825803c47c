"""Reversible SentencePiece tokenization of raw text, with the character span of every piece.

`decode(encode(text)) == text` for every text, spaces and line breaks included, with one exception:
U+2581, which SentencePiece uses to mark a space, is read as a space. A lower-casing tokenizer
returns the text in lower case, of the same length.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from lexalign.contracts.errors import LexalignError
from lexalign.storage import new_file
from lexalign.text.subwords import Encoding, Languages
from lexalign.text.surface import SPACE_MARK, Span, Symbol, check_unicode, decode_symbols
from lexalign.text.tokenizer_training import BOS_ID, EOS_ID, PAD_ID, UNK_ID, TokenizerOptions, train_model


class Tokenizer:
    """A trained SentencePiece model, the same for source and target; see `Tokenizer.train`.

    Implements `SubwordTokenizer` and `ModelTokenizer`.
    """

    target_language_ids: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    chosen: Languages | None = None
    mirrored = True

    pad_id = PAD_ID
    eos_id = EOS_ID
    unk_id = UNK_ID
    bos_id = BOS_ID

    def __init__(self, path: Path | str) -> None:
        path = Path(path)
        try:
            model = path.read_bytes()
        except OSError as error:
            raise LexalignError(f"cannot read the tokenizer {path}: {error.strerror}") from error
        try:
            self._start(model)
        except (RuntimeError, ValueError) as error:
            raise LexalignError(
                f"{path} is not a tokenizer of Lexalign, or is damaged; train it again"
            ) from error

    @classmethod
    def load(cls, path: Path | str) -> "Tokenizer":
        return cls(path)

    @classmethod
    def train(cls, sentences: Iterable[str], options: TokenizerOptions, path: Path) -> "Tokenizer":
        """Learn a vocabulary from `sentences` (of both languages, for a joint one), and save it."""
        model = train_model(sentences, options)
        with new_file(path) as temporary:
            temporary.write_bytes(model)
        return cls(path)

    def save(self, path: Path) -> None:
        with new_file(path) as temporary:
            temporary.write_bytes(self._model)

    def _start(self, model: bytes) -> None:
        processor = SentencePieceProcessor()
        processor.LoadFromSerializedProto(model)
        _check_reversible(processor)
        self._model = model
        self._processor = processor
        self._pieces: list[str] = processor.id_to_piece(list(range(processor.vocab_size())))
        self._symbols: dict[int, Symbol] = {}  # filled on demand, because all of them take a while

    @property
    def content(self) -> bytes:
        """The SentencePiece model."""
        return self._model

    def __getstate__(self) -> bytes:
        return self._model

    def __setstate__(self, model: bytes) -> None:
        self._start(model)

    @property
    def source(self) -> "Tokenizer":
        return self

    @property
    def target(self) -> "Tokenizer":
        return self

    @property
    def source_size(self) -> int:
        return self.vocabulary_size

    @property
    def target_size(self) -> int:
        return self.vocabulary_size

    def between(self, _languages: Languages | None) -> "Tokenizer":
        return self

    @property
    def vocabulary_size(self) -> int:
        return len(self._pieces)

    @property
    def lowercase(self) -> bool:
        """Whether text is lower-cased; the rules for it are part of the model file."""
        return bool(self._processor.normalize("A") != SPACE_MARK + "A")

    @property
    def fingerprint(self) -> str:
        """Equal for two tokenizers exactly when they are the same model."""
        return hashlib.sha256(self._model).hexdigest()

    def encode(self, text: str) -> list[int]:
        """The ids of the pieces of `text`, without an end of sentence."""
        check_unicode(text)
        ids: list[int] = self._processor.encode(text, out_type=int)  # a list would start a thread
        return ids

    def encode_inside(self, text: str) -> list[int]:
        return self.encode(text)

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]:
        for text in texts:
            check_unicode(text)
        ids: list[list[int]] = self._processor.encode(list(texts), out_type=int, num_threads=num_threads)
        return ids

    def encode_with_offsets(self, text: str) -> Encoding:
        ids = self.encode(text)
        # Encoding keeps the number of characters, so spans in the decoded text are spans in `text`.
        _, spans = self.decode_with_offsets(ids)
        return Encoding(ids=ids, pieces=self.pieces(ids), spans=spans)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`; padding, begin and end of sentence are left out."""
        text: str = self._processor.decode(list(ids))
        return text

    def decode_batch(self, batch: Iterable[Sequence[int]]) -> list[str]:
        rows = [list(ids) for ids in batch]
        texts: list[str] = self._processor.decode(rows) if rows else []
        return texts

    def decode_with_offsets(self, ids: Sequence[int]) -> tuple[str, list[Span]]:
        """The same as `decode`, with the character span of each id."""
        return decode_symbols([self._symbol(index) for index in ids])

    def _symbol(self, index: int) -> Symbol:
        if index not in self._symbols:
            self._symbols[index] = _symbol(self._processor, index, self._pieces[index])
        return self._symbols[index]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        return [self._pieces[index] for index in ids]

    def piece(self, index: int) -> str:
        return self._pieces[index]


def _check_reversible(processor: SentencePieceProcessor) -> None:
    """Raise an error for models of other toolkits, with other ids or another normalisation."""
    ids = (processor.pad_id(), processor.eos_id(), processor.unk_id(), processor.bos_id())
    has_bytes = processor.is_byte(processor.piece_to_id("<0x00>"))
    # NFKC, usual in other models, would replace ½ by three characters.
    keeps_text = processor.normalize("a  \u00bd ") == " a  \u00bd ".replace(" ", SPACE_MARK)
    if ids != (PAD_ID, EOS_ID, UNK_ID, BOS_ID) or not has_bytes or not keeps_text:
        raise ValueError("not trained by Lexalign")


def _symbol(processor: SentencePieceProcessor, index: int, piece: str) -> Symbol:
    if processor.is_byte(index):
        return Symbol(byte=int(piece[3:5], 16))
    if processor.is_control(index):
        return Symbol()
    if processor.is_unknown(index):
        return Symbol(surface=processor.decode([index]))
    return Symbol(surface=piece.replace(SPACE_MARK, " "))
