"""Training of a subword vocabulary, with settings that keep it reversible.

BPE after Sennrich et al. (2016), unigram after Kudo (2018), both by SentencePiece. No normalisation but
lower-casing, no spaces dropped, and bytes for characters outside the vocabulary, so no text is lost.
"""

import io
import random
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sentencepiece import SentencePieceTrainer

from lexalign.contracts.errors import LexalignError
from lexalign.text.surface import SPACE_MARK, check_unicode

PAD_ID = 0
EOS_ID = 1
UNK_ID = 2
BOS_ID = 3

# SentencePiece ignores longer sentences, and so does the sampling here.
MAX_SENTENCE_BYTES = 4192


@dataclass(frozen=True, kw_only=True)
class TokenizerOptions:
    """Options of the training, on `sample_size` sentences that are drawn uniformly from all."""

    vocabulary_size: int = 10_000
    kind: Literal["bpe", "unigram"] = "bpe"
    lowercase: bool = False
    split_digits: bool = False  # each digit is a separate subword
    character_coverage: float = 0.9995
    required_characters: str = ""  # in the vocabulary if they occur at all
    sample_size: int = 1_000_000
    seed: int = 1


def train_model(sentences: Iterable[str], options: TokenizerOptions) -> bytes:
    """A SentencePiece model of the vocabulary of `sentences`, as the bytes of its file."""
    sample = _sample(sentences, options)
    if not sample:
        raise LexalignError(
            f"no sentence to learn a vocabulary from: all are empty or over {MAX_SENTENCE_BYTES} bytes"
        )
    with tempfile.TemporaryDirectory() as folder:
        try:
            return _run(sample, options, Path(folder))
        except RuntimeError as error:
            raise LexalignError(_explanation(str(error), options)) from error


def _run(sample: list[str], options: TokenizerOptions, folder: Path) -> bytes:
    rules = folder / "rules.tsv"
    rules.write_text(_lowercase_rules(), encoding="utf-8")
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(sample),
        model_writer=model,
        model_type=options.kind,
        vocab_size=options.vocabulary_size,
        character_coverage=options.character_coverage,
        split_digits=options.split_digits,
        normalization_rule_name="identity",
        normalization_rule_tsv=str(rules) if options.lowercase else "",
        remove_extra_whitespaces=False,
        add_dummy_prefix=True,
        byte_fallback=True,
        required_chars=SPACE_MARK + _occurring(options.required_characters, sample),
        max_sentence_length=MAX_SENTENCE_BYTES,
        pad_id=PAD_ID,
        eos_id=EOS_ID,
        unk_id=UNK_ID,
        bos_id=BOS_ID,
        unk_surface="\u2047",
        minloglevel=2,
    )
    return model.getvalue()


def _occurring(characters: str, sample: list[str]) -> str:
    """The characters that occur: SentencePiece aborts if a required one does not."""
    missing = set(characters)
    for sentence in sample:
        missing.difference_update(sentence)
    return "".join(character for character in characters if character not in missing)


def _sample(sentences: Iterable[str], options: TokenizerOptions) -> list[str]:
    """A uniform sample of `sample_size` sentences (reservoir sampling, Vitter 1985)."""
    generator = random.Random(options.seed)
    reservoir: list[str] = []
    num_seen = 0
    for sentence in sentences:
        check_unicode(sentence)
        if not _is_usable(sentence):
            continue
        num_seen += 1
        if len(reservoir) < options.sample_size:
            reservoir.append(sentence)
            continue
        index = generator.randrange(num_seen)
        if index < options.sample_size:
            reservoir[index] = sentence
    return reservoir


def _is_usable(sentence: str) -> bool:
    # SentencePiece reserves U+2585 in training.
    return (
        bool(sentence.strip()) and "\u2585" not in sentence and len(sentence.encode()) <= MAX_SENTENCE_BYTES
    )


def _lowercase_rules() -> str:
    """One rule per capital letter, so that the model file contains the lower-casing.

    Each rule replaces one character by one, so that offsets hold; only U+0130 (İ) has a longer lower case
    in Unicode, an i and a combining dot, of which the i is kept.
    """
    letters = (chr(code) for code in range(sys.maxunicode + 1))
    return "".join(f"{ord(c):X}\t{ord(c.lower()[0]):X}\n" for c in letters if c.lower() != c)


def _explanation(message: str, options: TokenizerOptions) -> str:
    size = options.vocabulary_size
    if too_large := re.search(r"Vocabulary size too high.*<= (\d+)", message):
        return f"vocabulary size {size} is too large for this text; choose {too_large[1]} or less"
    if too_small := re.search(r"smaller than required_chars\. \d+ vs (\d+)", message):
        return (
            f"vocabulary size {size} is too small for the characters of this text; "
            f"choose {too_small[1]} or more, or a lower character coverage"
        )
    return f"the vocabulary could not be learned: {message.strip()}"
