"""Import of tokenizers from HuggingFace folders, by their files.

Marian          source.spm, target.spm, vocab.json; two vocabularies with target_vocab.json
M2M100          sentencepiece.bpe.model, vocab.json; then language codes and unused entries
NLLB, mBART-50  sentencepiece.bpe.model, ids shifted by one for <pad>; then language codes, <mask>
BART            vocab.json and merges.txt, over bytes
any             tokenizer.json alone, by the package tokenizers
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, number, read_bytes, read_json
from lexalign.interop.language_codes import M2M100, MBART50, NLLB, WMT21
from lexalign.text.foreign.segmenters import HubSegmenter, Segmenter, SentencePieceSegmenter
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.foreign.spellings import SpellingName
from lexalign.text.foreign.tokenizer import ForeignTokenizer, LanguageCodes
from lexalign.text.languages import is_language, primary
from lexalign.text.subwords import Languages

PIECES = "sentencepiece.bpe.model"
_FAIRSEQ_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
# >>fra<<, __fr__, fra_Latn, fr_XX
MARIAN_CODE = re.compile(r">>(.+)<<")
_CODE = re.compile(r"__([a-z]{2,3})__|([a-z]{3}_[A-Z][a-z]{3}|[a-z]{2,3}_[A-Z]{2})")


@dataclass(frozen=True, kw_only=True)
class ForeignVocabulary:
    """A tokenizer, and the settings that a model's config takes from it."""

    tokenizer: ForeignTokenizer
    target_prefix: tuple[int, ...]
    never_generated: tuple[int, ...]
    unlinked: tuple[int, ...]
    languages: Languages | None = None  # of a model of one language pair, if its files name them

    @classmethod
    def of(
        cls,
        tokenizer: ForeignTokenizer,
        *,
        target_prefix: tuple[int, ...],
        eos_id: int,
        banned: Iterable[int] = (),
        languages: Languages | None = None,
    ) -> "ForeignVocabulary":
        """Controls and unknown pieces are never generated, and language codes never linked."""
        target = tokenizer.target_side
        never = {*banned, *target.controls, target.unk_id} - {eos_id}
        return cls(
            tokenizer=tokenizer,
            target_prefix=target_prefix,
            never_generated=tuple(sorted(never)),
            unlinked=tuple(sorted({*tokenizer.codes.ids.values(), *tokenizer.source_prefix})),
            languages=None if tokenizer.languages else languages,
        )


def read_tokenizer(folder: Path, kind: str, settings: Mapping[str, Any]) -> ForeignVocabulary:
    """`settings` are those of config.json and generation_config.json."""
    for name in ("vocab_size", "pad_token_id", "eos_token_id", "decoder_start_token_id"):
        if settings.get(name) is None:
            raise LexalignError(f"{folder / 'config.json'}: {name} is missing")
    own = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    if kind in ("marian", "pegasus"):
        tokenizer = _marian(folder, settings, own)
    elif kind == "bart":
        tokenizer = _bart(folder, settings)
    else:
        _refuse_trailing_code(folder, settings, own)
        tokenizer = _multilingual(folder, kind, settings, own)
    prefix = [settings.get("decoder_start_token_id")]
    if not tokenizer.languages:
        prefix += [settings.get("forced_bos_token_id")]
    return ForeignVocabulary.of(
        tokenizer,
        target_prefix=tuple(index for index in prefix if index is not None),
        eos_id=number(settings, "eos_token_id"),
        banned=[words[0] for words in settings.get("bad_words_ids") or [] if len(words) == 1],
        languages=stated_pair(own),
    )


def stated_pair(settings: Mapping[str, Any]) -> Languages | None:
    """`source_lang` and `target_lang`, unless one is a language family, as in opus-mt-ROMANCE-en."""
    found = [settings.get(name) for name in ("source_lang", "target_lang")]
    source, target = (primary(name) if isinstance(name, str) else "" for name in found)
    return (source, target) if is_language(source) and is_language(target) else None


def _marian(folder: Path, settings: Mapping[str, Any], own: Mapping[str, Any]) -> ForeignTokenizer:
    vocabulary = in_order(read_json(folder / "vocab.json"), int(settings["vocab_size"]))
    codes = {match[1]: index for index, piece in enumerate(vocabulary) if (match := _match(piece))}
    controls = [settings["pad_token_id"], number(settings, "eos_token_id"), *codes.values()]
    source = new_side(read_pieces(folder / "source.spm"), vocabulary, controls, "sentencepiece")
    target_vocabulary = vocabulary
    if own.get("separate_vocabs"):
        size = int(settings.get("decoder_vocab_size") or settings["vocab_size"])
        target_vocabulary = in_order(read_json(folder / "target_vocab.json"), size)
    target = new_side(read_pieces(folder / "target.spm"), target_vocabulary, controls, "sentencepiece")
    if target_vocabulary == vocabulary and target.segmenter.content == source.segmenter.content:
        target = source
    return ForeignTokenizer(
        source_side=source,
        target_side=target,
        codes=LanguageCodes(ids=codes, before_source="target" if codes else None),
    )


def _multilingual(
    folder: Path, kind: str, settings: Mapping[str, Any], own: Mapping[str, Any]
) -> ForeignTokenizer:
    """The tokenizer of M2M100, NLLB or mBART-50, which all come from fairseq."""
    size = int(settings["vocab_size"])
    segmenter: Segmenter
    if (folder / PIECES).is_file():
        segmenter = read_pieces(folder / PIECES)
        known = _fairseq_ids(folder, kind, segmenter, own)
    elif (folder / "tokenizer.json").is_file():
        segmenter, known, _ = read_hub(folder)
    else:
        raise LexalignError(f"{folder / PIECES} is missing; a model cannot be imported without its tokenizer")
    stated = stated_ids(folder, own)
    known |= stated
    vocabulary = in_order(known, size)
    codes = published_codes(known, stated)
    if not codes:
        raise LexalignError(f"{folder}: no language codes in the tokenizer's files; it is not of this kind")
    unused = [index for index, piece in enumerate(vocabulary) if not piece or piece.startswith("madeupword")]
    controls = [0, 1, 2, *codes.values(), *unused, *([known["<mask>"]] if "<mask>" in known else [])]
    side = new_side(segmenter, vocabulary, controls, "sentencepiece")
    usual = own.get("src_lang"), own.get("tgt_lang")
    return ForeignTokenizer(
        source_side=side,
        target_side=side,
        codes=LanguageCodes(
            ids=dict(sorted(codes.items())),
            before_source="source",
            before_target=True,
            default=(usual[0], usual[1]) if usual[0] in codes and usual[1] in codes else None,
        ),
    )


def _fairseq_ids(
    folder: Path, kind: str, segmenter: SentencePieceSegmenter, own: Mapping[str, Any]
) -> dict[str, int]:
    """The ids of pieces, then of language codes, as in the published models."""
    if (folder / "vocab.json").is_file():
        known = read_json(folder / "vocab.json")
        codes = [f"__{code}__" for code in (WMT21 if own.get("language_codes") == "wmt21" else M2M100)]
        return known | {code: len(known) + place for place, code in enumerate(codes)}
    # SentencePiece's own first three are <unk>, <s> and </s>.
    pieces = [
        *_FAIRSEQ_SPECIALS,
        *segmenter.vocabulary()[3:],
        *(MBART50 if kind == "mbart" else NLLB),
        "<mask>",
    ]
    return {piece: index for index, piece in reversed(list(enumerate(pieces)))}


def published_codes(known: Mapping[str, int], stated: Iterable[str]) -> dict[str, int]:
    """The language codes that are published or stated: a common piece may look like a code."""
    published = {*(f"__{code}__" for code in M2M100), *MBART50, *NLLB}
    found = {piece: match for piece in known if (match := _CODE.fullmatch(piece))}
    return {
        match[1] or match[2]: known[piece]
        for piece, match in found.items()
        if piece in published or piece in set(stated)
    }


def stated_ids(folder: Path, own: Mapping[str, Any]) -> dict[str, int]:
    """The ids of added tokens that the folder states, which override any convention."""
    stated = {token["content"]: int(index) for index, token in own.get("added_tokens_decoder", {}).items()}
    if (folder / "tokenizer.json").is_file():
        stated |= {
            one["content"]: one["id"] for one in read_json(folder / "tokenizer.json").get("added_tokens", [])
        }
    return stated


def _bart(folder: Path, settings: Mapping[str, Any]) -> ForeignTokenizer:
    if (folder / "tokenizer.json").is_file():
        segmenter, known, spelling = read_hub(folder)
    else:
        known, spelling = read_json(folder / "vocab.json"), "bytes"
        segmenter = HubSegmenter(_byte_level(known, folder / "merges.txt"))
    vocabulary = in_order(known, int(settings["vocab_size"]))
    named = [known[piece] for piece in ("<s>", "<pad>", "</s>", "<mask>") if piece in known]
    unused = [index for index, piece in enumerate(vocabulary) if not piece or piece.startswith("madeupword")]
    side = new_side(segmenter, vocabulary, [*named, *unused], spelling)
    return ForeignTokenizer(
        source_side=side, target_side=side, source_prefix=(int(settings.get("bos_token_id", 0)),)
    )


def read_hub(folder: Path) -> tuple[HubSegmenter, dict[str, int], SpellingName]:
    path = folder / "tokenizer.json"
    values = read_json(path)
    try:
        pieces = values["model"]["vocab"]
        known = dict(pieces) if isinstance(pieces, dict) else {one[0]: i for i, one in enumerate(pieces)}
        known |= {one["content"]: one["id"] for one in values.get("added_tokens", [])}
    except (KeyError, TypeError, IndexError) as error:
        raise LexalignError(f"{path}: not a tokenizer ({error!r})") from None
    over_bytes = "ByteLevel" in json.dumps(values.get("pre_tokenizer"))
    with error_context(path):
        return HubSegmenter(path.read_bytes()), known, "bytes" if over_bytes else "sentencepiece"


def _byte_level(vocabulary: Mapping[str, int], merges: Path) -> bytes:
    """GPT-2's vocabulary and merges as a tokenizer.json."""
    lines = read_bytes(merges).decode("utf-8").split("\n")
    rules = [line.split(" ") for line in lines if line and not line.startswith("#version")]
    over_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": dict(vocabulary), "merges": rules}
    return json.dumps({"version": "1.0", "pre_tokenizer": over_bytes, "model": model}).encode()


def new_side(
    segmenter: Segmenter,
    vocabulary: list[str],
    controls: Iterable[int],
    spelling: SpellingName,
    unknown: str = "<unk>",
) -> ForeignSide:
    if unknown not in vocabulary:
        raise LexalignError(f"the tokenizer has no {unknown}; it is not of this kind")
    unk_id = vocabulary.index(unknown)
    return ForeignSide(segmenter, vocabulary, unk_id=unk_id, controls=controls, spelling=spelling)


def read_pieces(path: Path) -> SentencePieceSegmenter:
    with error_context(path):
        return SentencePieceSegmenter(read_bytes(path))


def in_order(ids: Mapping[str, int], size: int) -> list[str]:
    """The piece of each of the model's ids; ids without a piece have an empty one."""
    vocabulary = [""] * size
    for piece, index in ids.items():
        if not 0 <= index < size:
            raise LexalignError(f"the tokenizer has an id {index} ({piece}), and the model {size} entries")
        vocabulary[index] = piece
    return vocabulary


def _match(piece: str) -> re.Match[str] | None:
    return MARIAN_CODE.fullmatch(piece)


def _refuse_trailing_code(folder: Path, settings: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """mBART-25 and NLLB's first release have the code after the source, and start the decoder with it."""
    if own.get("legacy_behaviour") or settings.get("decoder_start_token_id") != number(
        settings, "eos_token_id"
    ):
        raise LexalignError(
            f"{folder}: the language code comes after the sentence, as in mBART-25; "
            "only models that have it before, as mBART-50 and NLLB, can be imported"
        )
