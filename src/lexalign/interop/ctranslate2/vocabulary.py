"""The vocabularies of a CTranslate2 folder, and the tokenizer beside them.

    shared_vocabulary.json      or .txt, as lines; or source_vocabulary and target_vocabulary
    sentencepiece.model         the segmentation, by one of a few names; or source.spm and target.spm

CTranslate2 needs no padding, and source and target may have their ends of sentence at different places. Here
both begin with a padding, whose vector is zero, and the end of sentence; their order is kept otherwise:

    theirs   0 <unk>  1 <s>   2 </s>   3 ...
    ours     0 <pad>  1 </s>  2 <unk>  3 <s>  4 ...
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, read_bytes
from lexalign.interop.hub_tokenizers import ForeignVocabulary, new_side, published_codes, read_pieces
from lexalign.text.foreign.segmenters import HubSegmenter, Segmenter, SpaceSegmenter
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.foreign.tokenizer import ForeignTokenizer, LanguageCodes
from lexalign.weights import Int8Rows, Weight

PAD_ID, EOS_ID = 0, 1
_NEW = -1  # a row that is not in their table
_PIECES = ("sentencepiece.model", "sentencepiece.bpe.model", "spiece.model", "spm.model")
_TARGET_CODE = re.compile(r">>(.+)<<|<2(.+)>")
_FILLERS = ("madeupword", "<extra_id_")
_SPECIALS = ("<pad>", "<blank>", "<mask>", "<s>", "</s>")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `config.json` says of tokens, or attributes in older files."""

    unk_token: str
    bos_token: str
    eos_token: str
    decoder_start_token: str | None
    add_source_bos: bool
    add_source_eos: bool


@dataclass(frozen=True, kw_only=True)
class TokenTable:
    """The tokens of a side in our order, and the rows of their table that belong to them."""

    tokens: list[str]
    rows: list[int]

    @classmethod
    def of(cls, tokens: Sequence[str], eos_token: str) -> "TokenTable":
        end = tokens.index(eos_token) if eos_token in tokens else _NEW
        others = [row for row in range(len(tokens)) if row != end]
        padding = "" if "<pad>" in tokens else "<pad>"  # theirs may be the start, with a vector of its own
        return cls(tokens=[padding, eos_token, *(tokens[row] for row in others)], rows=[_NEW, end, *others])

    def take(self, weight: Weight) -> Weight:
        """A table or a bias with the rows in our order; new rows are zero."""
        index = torch.tensor(self.rows) + 1
        if isinstance(weight, Int8Rows):
            return Int8Rows(_behind_zero(weight.values)[index], _behind_zero(weight.scales)[index])
        return _behind_zero(weight)[index]


def _behind_zero(rows: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(rows[:1]), rows])


def read_token_tables(folder: Path, eos_token: str) -> tuple[TokenTable, TokenTable]:
    """The tokens of source and target, which may be the same."""
    shared = _read_tokens(folder, "shared_vocabulary")
    found = [shared or _read_tokens(folder, f"{side}_vocabulary") for side in ("source", "target")]
    if found[0] is None or found[1] is None:
        raise LexalignError(
            f"{folder}: shared_vocabulary.json is missing, and so is source_vocabulary.json or "
            "target_vocabulary.json; the model cannot be imported without its vocabulary"
        )
    if eos_token not in found[1]:
        raise LexalignError(f"{folder}: the target vocabulary has no {eos_token}, its end of sentence")
    return TokenTable.of(found[0], eos_token), TokenTable.of(found[1], eos_token)


def _read_tokens(folder: Path, name: str) -> list[str] | None:
    if (folder / f"{name}.json").is_file():
        return _json_tokens(folder / f"{name}.json")
    if (folder / f"{name}.txt").is_file():
        lines = _text(folder / f"{name}.txt").split("\n")
        return lines[:-1] if lines[-1] == "" else lines
    return None


def _json_tokens(path: Path) -> list[str]:
    try:
        tokens = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise LexalignError(f"{path}: not JSON ({error})") from None
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise LexalignError(f"{path}: not a list of tokens")
    return tokens


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise LexalignError(f"{path}: not text in UTF-8") from None


def make_vocabulary(
    source: TokenTable, target: TokenTable, settings: Settings, segmenters: tuple[Segmenter, Segmenter],
    *, zero_start: bool,
) -> ForeignVocabulary:  # fmt: skip
    codes = _language_codes(source.tokens)
    sides = [
        _side(table, segmenter, settings)
        for table, segmenter in zip((source, target), segmenters, strict=True)
    ]
    one = source.tokens == target.tokens and segmenters[0] is segmenters[1]
    prefix = (_find("bos_token", settings.bos_token, source),) if settings.add_source_bos else ()
    tokenizer = ForeignTokenizer(
        source_side=sides[0], target_side=sides[0] if one else sides[1], source_prefix=prefix, codes=codes
    )
    start = PAD_ID if zero_start else _find("decoder_start_token", settings.decoder_start_token, target)
    return ForeignVocabulary.of(tokenizer, target_prefix=(start,), eos_id=EOS_ID)


def _find(name: str, token: str | None, table: TokenTable) -> int:
    if token not in table.tokens:
        raise LexalignError(f"{name} is {token!r}, which is not in the vocabulary; the model needs it")
    return table.tokens.index(token)


def _side(table: TokenTable, segmenter: Segmenter, settings: Settings) -> ForeignSide:
    specials = {*_SPECIALS, settings.bos_token, settings.eos_token} - {settings.unk_token}
    named = [index for index, token in enumerate(table.tokens) if token in specials]
    fillers = [index for index, token in enumerate(table.tokens) if token.startswith(_FILLERS)]
    words = isinstance(segmenter, SpaceSegmenter)
    return new_side(
        segmenter,
        table.tokens,
        [PAD_ID, *named, *fillers, *_language_codes(table.tokens).ids.values()],
        "words" if words else "sentencepiece",
        unknown=settings.unk_token,
    )


def _language_codes(tokens: Sequence[str]) -> LanguageCodes:
    """Codes of the target before the source, as of Marian and MADLAD-400; or of M2M100, NLLB, mBART-50."""
    targets = {
        str(match[1] or match[2]): index
        for index, token in enumerate(tokens)
        if (match := _TARGET_CODE.fullmatch(token))
    }
    if targets:
        return LanguageCodes(ids=dict(sorted(targets.items())), before_source="target")
    found = published_codes({token: index for index, token in enumerate(tokens)}, ())
    if len(found) < 2:  # of one language it is a word that looks like a code
        return LanguageCodes()
    return LanguageCodes(ids=dict(sorted(found.items())), before_source="source", before_target=True)


def find_segmenters(folder: Path) -> tuple[Segmenter, Segmenter]:
    """The tokenizer beside a model; without one, text must come in pieces."""
    if (folder / "source.spm").is_file() and (folder / "target.spm").is_file():
        source, target = read_pieces(folder / "source.spm"), read_pieces(folder / "target.spm")
        return source, source if source.content == target.content else target
    for name in _PIECES:
        if (folder / name).is_file():
            pieces = read_pieces(folder / name)
            return pieces, pieces
    if (folder / "tokenizer.json").is_file():
        with error_context(folder / "tokenizer.json"):
            hub = HubSegmenter((folder / "tokenizer.json").read_bytes())
        return hub, hub
    spaces = SpaceSegmenter()
    return spaces, spaces


def read_settings(values: Mapping[str, Any]) -> Settings:
    start = values.get("decoder_start_token", "<s>")
    return Settings(
        unk_token=str(values.get("unk_token") or "<unk>"),
        bos_token=str(values.get("bos_token") or "<s>"),
        eos_token=str(values.get("eos_token") or "</s>"),
        decoder_start_token=None if start is None else str(start),
        add_source_bos=bool(values.get("add_source_bos")),
        add_source_eos=bool(values.get("add_source_eos")),
    )
