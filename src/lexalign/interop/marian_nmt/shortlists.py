"""Marian's lexical shortlists, binary or in text; either may be gzipped.

A binary file has a header of six u64 (a magic number, a checksum of all that follows it, the limits that it
was made with, the lengths of two tables), then for each source token the offset of its targets (u64), then
all targets (u32). A line of text is `target source probability`, of pieces of the vocabularies; the limits
are options of the decoder.
"""

from collections import defaultdict
from heapq import nlargest
from pathlib import Path

import numpy as np

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.interop.foreign_files import error_context
from lexalign.interop.marian_nmt.tensors import read_content
from lexalign.text.foreign.tokenizer import ForeignTokenizer

_MAGIC = 0xF11A48D5013417F5
_HEADER_BYTES = 48
_NULL = "NULL"  # no word, in the tables of fast_align
_MASK = 2**64 - 1


def read_shortlist(
    path: Path, tokenizer: ForeignTokenizer, sizes: tuple[int, int], limits: tuple[int, int]
) -> LexicalShortlist:
    """`sizes` are those of the model's vocabularies, `limits` those of a shortlist in text."""
    shared = tokenizer.source_side is tokenizer.target_side
    with error_context(path):
        content = read_content(path)
        if int.from_bytes(content[:8], "little") == _MAGIC:
            shortlist = _from_binary(content, shared)
        else:
            shortlist = _from_text(content, tokenizer, sizes[0], limits, shared)
        shortlist.check(*sizes)
    return shortlist


def _from_binary(content: bytes, shared: bool) -> LexicalShortlist:
    if len(content) < _HEADER_BYTES:
        raise LexalignError("the shortlist is truncated; copy it again")
    _, checksum, frequent, _, num_offsets, num_tokens = np.frombuffer(content[:_HEADER_BYTES], "<u8").tolist()
    if len(content) != _HEADER_BYTES + 8 * num_offsets + 4 * num_tokens:
        raise LexalignError("the shortlist is truncated, or longer than it says; copy it again")
    if _checksum(content[16:]) != checksum:
        raise LexalignError("the shortlist's checksum is wrong; copy it again")
    offsets = np.frombuffer(content, "<u8", num_offsets, _HEADER_BYTES)
    tokens = np.frombuffer(content, "<u4", num_tokens, _HEADER_BYTES + 8 * num_offsets)
    return LexicalShortlist(
        offsets=offsets.astype(np.int64), token_ids=tokens.astype(np.int64), frequent=frequent, shared=shared
    )


def _checksum(content: bytes) -> int:
    """Boost's hash_combine over whole words of 8 bytes."""
    seed = 0
    for word in np.frombuffer(content, "<u8", len(content) // 8).tolist():
        seed ^= (word + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & _MASK
    return seed


def _from_text(
    content: bytes, tokenizer: ForeignTokenizer, source_size: int, limits: tuple[int, int], shared: bool
) -> LexicalShortlist:
    source_ids, target_ids = (
        {piece: index for index, piece in enumerate(side.vocabulary)}
        for side in (tokenizer.source_side, tokenizer.target_side)
    )
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), 1):
        try:
            target, source, probability = line.split()
            score = float(probability)
        except ValueError:
            raise LexalignError(f"line {number} is not `target source probability`") from None
        if _NULL not in (target, source):
            source_id = source_ids.get(source, tokenizer.source_side.unk_id)
            found[source_id][target_ids.get(target, tokenizer.target_side.unk_id)] = score
    frequent, best = limits
    lists = [
        sorted(nlargest(best, found[index], key=found[index].__getitem__)) for index in range(source_size)
    ]
    return LexicalShortlist(
        offsets=np.cumsum([0, *map(len, lists)], dtype=np.int64),
        token_ids=np.array([token for one in lists for token in one], dtype=np.int64),
        frequent=frequent,
        shared=shared,
    )
