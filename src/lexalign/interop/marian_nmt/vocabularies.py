"""The vocabularies of a Marian model: SentencePiece models, or YAML files of pieces beside such models.

A SentencePiece model has the ids of its pieces. A YAML file, as of OPUS-MT, has one id for each piece, and
the pieces are those of `source.spm` and `target.spm` in the same folder.
"""

from collections.abc import Sequence
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context
from lexalign.interop.hub_tokenizers import MARIAN_CODE, ForeignVocabulary
from lexalign.interop.marian_nmt.tensors import read_content
from lexalign.interop.marian_nmt.yaml_files import read_yaml
from lexalign.text.foreign.segmenters import Segmenter, SentencePieceSegmenter, SpaceSegmenter
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.foreign.tokenizer import ForeignTokenizer, LanguageCodes

END, UNKNOWN, PADDING = "</s>", "<unk>", "<pad>"
_MULTIPLE = 32  # see `decoding.scores`


def read_vocabularies(source: Path, target: Path, sizes: tuple[int, int]) -> ForeignVocabulary:
    """`sizes` are those of the model's embeddings."""
    size = padded_size(sizes)
    sides = [
        _read_side(path, own, size, name)
        for path, own, name in zip((source, target), sizes, ("source", "target"), strict=True)
    ]
    ends = {side.vocabulary.index(END) for side in sides}
    if len(ends) > 1:
        raise LexalignError(f"{source.name} and {target.name} have different ids of {END}; not supported")
    if source == target and sides[0].segmenter.content == sides[1].segmenter.content:
        sides[1] = sides[0]
    controls = sides[1].controls | {sides[1].unk_id}
    codes = _codes(sides[0].vocabulary)
    return ForeignVocabulary(
        tokenizer=ForeignTokenizer(
            source_side=sides[0],
            target_side=sides[1],
            codes=LanguageCodes(ids=codes, before_source="target" if codes else None),
        ),
        target_prefix=(size - 1,),
        never_generated=tuple(sorted(controls - ends)),
        unlinked=tuple(sorted(codes.values())),
    )


def padded_size(sizes: tuple[int, int]) -> int:
    """The entries of both vocabularies, the padding last: a number at which a search copies no scores."""
    return -(-(max(sizes) + 1) // _MULTIPLE) * _MULTIPLE


def _read_side(path: Path, own_size: int, size: int, name: str) -> ForeignSide:
    with error_context(path):
        content = read_content(path)
        if ".spm" in path.suffixes:
            segmenter: Segmenter = SentencePieceSegmenter(content)
            pieces = SentencePieceSegmenter(content).vocabulary()
        else:
            segmenter, pieces = _segmenter(path.parent, name), _pieces(content, own_size)
        if len(pieces) != own_size:
            raise LexalignError(
                f"it has {len(pieces)} entries and the model {own_size}; they belong to different models"
            )
        for special in (END, UNKNOWN):
            if special not in pieces:
                raise LexalignError(f"it has no {special}; it is not a vocabulary of Marian")
    vocabulary = [*pieces, *[""] * (size - 1 - own_size), PADDING]
    unused = [index for index, piece in enumerate(vocabulary) if not piece]
    return ForeignSide(
        segmenter,
        vocabulary,
        unk_id=pieces.index(UNKNOWN),
        controls=[pieces.index(END), *_codes(pieces).values(), *unused, size - 1],
        spelling="words" if isinstance(segmenter, SpaceSegmenter) else "sentencepiece",
    )


def _codes(pieces: Sequence[str]) -> dict[str, int]:
    """The codes of target languages, as `>>fra<<`, which stand before the source."""
    found = {index: MARIAN_CODE.fullmatch(piece) for index, piece in enumerate(pieces)}
    return {match[1]: index for index, match in found.items() if match}


def _segmenter(folder: Path, name: str) -> Segmenter:
    """The SentencePiece model of a side, if there is one: else words are the pieces, as in old models."""
    for path in (folder / f"{name}.spm", folder / f"{name}.spm.gz"):
        if path.is_file():
            return SentencePieceSegmenter(read_content(path))
    if any((folder / f"{side}.bpe").is_file() for side in ("source", "target")):
        raise LexalignError("the model has BPE codes (source.bpe); only SentencePiece can be imported")
    return SpaceSegmenter()


def _pieces(content: bytes, size: int) -> list[str]:
    """The pieces of a YAML file in the order of their ids; the model may have more entries than the file."""
    pieces = [""] * size
    for piece, index in read_yaml(content).items():
        if not isinstance(index, str) or not index.isdecimal() or int(index) >= size:
            raise LexalignError(f"the id of {piece!r} is {index!r}, and the model has {size} entries")
        pieces[int(index)] = piece
    return pieces
