"""Segmentation of text into pieces: by SentencePiece, HuggingFace's tokenizers, or spaces."""

from collections.abc import Sequence
from typing import Any, Protocol

from sentencepiece import SentencePieceProcessor

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.text.surface import Span
from lexalign.text.words import words_of


class Segmenter(Protocol):
    """Splits text into pieces, which are strings of the model's vocabulary."""

    suffix: str  # of the file that holds its content

    @property
    def content(self) -> bytes: ...

    def segment(self, texts: Sequence[str], num_threads: int) -> list[list[str]]: ...

    def segment_with_spans(self, text: str) -> tuple[list[str], list[Span]]:
        """The pieces and their character spans, without spaces at the ends."""


class SentencePieceSegmenter:
    """A SentencePiece model; it may normalise the text, so SentencePiece itself gives the spans."""

    suffix = ".spm"

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._processor = SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(content)
        except RuntimeError as error:
            raise LexalignError(f"not a SentencePiece model ({error})") from None

    def segment(self, texts: Sequence[str], num_threads: int) -> list[list[str]]:
        found: list[list[str]] = self._processor.encode(list(texts), out_type=str, num_threads=num_threads)
        return found

    def segment_with_spans(self, text: str) -> tuple[list[str], list[Span]]:
        pieces, spans = self._pieces_and_spans(text)
        return pieces, [strip_span(text, span) for span in self._share_characters(pieces, spans)]

    def _share_characters(self, pieces: Sequence[str], spans: Sequence[Span]) -> list[Span]:
        """SentencePiece gives the span of a character to the last of its bytes; here all of them get it."""
        shared = list(spans)
        for index in reversed(range(len(shared) - 1)):
            start, end = shared[index]
            if start == end == shared[index + 1][0] and self._is_byte(pieces[index]):
                shared[index] = shared[index + 1]
        return shared

    def _is_byte(self, piece: str) -> bool:
        return bool(self._processor.is_byte(self._processor.piece_to_id(piece)))

    def _pieces_and_spans(self, text: str) -> tuple[list[str], list[Span]]:
        processor: Any = self._processor
        if hasattr(processor, "encode_as_offset_mapping"):
            mapping = processor.encode_as_offset_mapping(text)
            return mapping["pieces"], mapping["offsets"]
        found = processor.encode_as_immutable_proto(text).pieces  # before SentencePiece 0.2.2
        return [one.piece for one in found], [(one.begin, one.end) for one in found]

    def vocabulary(self) -> list[str]:
        pieces: list[str] = self._processor.id_to_piece(list(range(self._processor.vocab_size())))
        return pieces


class HubSegmenter:
    """A `tokenizer.json`, by the package tokenizers; special tokens in a text are text."""

    suffix = ".json"

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._tokenizer = _read_hub(content)
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def segment(self, texts: Sequence[str], num_threads: int) -> list[list[str]]:  # noqa: ARG002
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.tokens for encoding in found]

    def segment_with_spans(self, text: str) -> tuple[list[str], list[Span]]:
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return found.tokens, [strip_span(text, span) for span in found.offsets]


class SpaceSegmenter:
    """Text that is already segmented: pieces are separated by spaces."""

    suffix = ".txt"
    content = b""

    def __init__(self, content: bytes = b"") -> None:
        del content  # has no settings

    def segment(self, texts: Sequence[str], num_threads: int) -> list[list[str]]:  # noqa: ARG002
        return [text.split() for text in texts]

    def segment_with_spans(self, text: str) -> tuple[list[str], list[Span]]:
        return words_of(text)


def strip_span(text: str, span: Span) -> Span:
    """A span without the spaces at its ends, unless it is only spaces."""
    start, end = span
    part = text[start:end]
    if not part.strip():
        return span
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _read_hub(content: bytes) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError(
            "the model's tokenizer needs the package tokenizers: pip install 'lexalign[models]'"
        ) from None
    try:
        return Tokenizer.from_str(content.decode("utf-8"))
    except Exception as error:  # the package raises no more specific error
        raise LexalignError(f"not a tokenizer.json ({error})") from None
