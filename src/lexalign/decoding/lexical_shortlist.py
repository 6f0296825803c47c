"""Lexical shortlists: for each source token, the target tokens that it may be translated with.

A sentence's shortlist has the most frequent target tokens, those of each of its source tokens, the tokens of
its constraints, and, where both languages share a vocabulary, its source tokens themselves: names and numbers
are copied. A model's folder has the table in `shortlist.safetensors`: the targets of source token i are
`token_ids[offsets[i]:offsets[i + 1]]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import Vocabulary
from lexalign.contracts.shortlist import Shortlist
from lexalign.storage import new_file

SHORTLIST = "shortlist.safetensors"
_LENGTH_MULTIPLE = 96  # where the best of a shortlist are found without padding it, see `scores.py`

Constraints = Sequence[Sequence[TokenConstraint]]


@dataclass(frozen=True, kw_only=True)
class LexicalShortlist:
    offsets: NDArray[np.int64]  # (source vocabulary + 1,)
    token_ids: NDArray[np.int64]
    frequent: int  # the first so many target tokens are on every list
    shared: bool  # whether source tokens are target tokens too

    def select(self, source_ids: Tensor, constraints: Constraints, vocabulary: Vocabulary) -> Shortlist:
        """The shortlists of padded sentences (B, S), each by itself."""
        listed = self._listed(source_ids.cpu().numpy(), vocabulary)
        for row, asked in enumerate(constraints):
            tokens = {token for one in asked for phrase in one.alternatives for token in phrase}
            listed[row, [token for token in tokens if 0 <= token < vocabulary.size]] = True
        listed[:, [vocabulary.pad_id, *vocabulary.never_generated]] = False
        listed[:, vocabulary.eos_id] = False  # it comes first
        return _as_tensors(listed, vocabulary.eos_id, source_ids.device)

    def targets(self, token_id: int) -> NDArray[np.int64]:
        """What a source token may be translated with."""
        return self.token_ids[self.offsets[token_id] : self.offsets[token_id + 1]]

    def _listed(self, source_ids: NDArray[np.int64], vocabulary: Vocabulary) -> NDArray[np.bool_]:
        listed = np.zeros((len(source_ids), vocabulary.size), dtype=np.bool_)
        listed[:, : self.frequent] = True
        rows, places = np.nonzero((source_ids != vocabulary.pad_id) & (source_ids < len(self.offsets) - 1))
        tokens = source_ids[rows, places]
        if self.shared:
            listed[rows, tokens] = True
        starts, counts = self.offsets[tokens], self.offsets[tokens + 1] - self.offsets[tokens]
        ends = np.cumsum(counts)
        inside = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        listed[np.repeat(rows, counts), self.token_ids[np.repeat(starts, counts) + inside]] = True
        return listed

    def save(self, folder: Path, fingerprint: str) -> None:
        """Write the table into a model's folder; `fingerprint` is that of its tokenizer."""
        arrays: dict[str, NDArray[Any]] = {
            "offsets": self.offsets,
            "token_ids": self.token_ids.astype(np.int32),
            "limits": np.array([self.frequent, self.shared], dtype=np.int64),
        }
        with new_file(folder / SHORTLIST) as temporary:
            save_file(arrays, temporary, metadata={"tokenizer": fingerprint})

    @classmethod
    def load(cls, folder: Path, fingerprint: str, vocabulary_size: int) -> "LexicalShortlist | None":
        """The table of a model's folder, if there is one; it must be of the model with this tokenizer."""
        path = folder / SHORTLIST
        if not path.is_file():
            return None
        try:
            with safe_open(path, framework="numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in ("offsets", "token_ids", "limits")}
        except (SafetensorError, OSError) as error:
            raise LexalignError(f"{path}: cannot be read ({error}); import the model again") from None
        if metadata.get("tokenizer") != fingerprint:
            raise LexalignError(f"{path}: the shortlist is of another model; remove it or import it again")
        frequent, shared = (int(one) for one in arrays["limits"])
        found = cls(
            offsets=arrays["offsets"],
            token_ids=arrays["token_ids"].astype(np.int64),
            frequent=frequent,
            shared=bool(shared),
        )
        found.check(len(found.offsets) - 1, vocabulary_size)
        return found

    def check(self, source_size: int, target_size: int) -> None:
        """Raise an error if the table is not one for vocabularies of these sizes."""
        offsets = self.offsets
        if len(offsets) != source_size + 1:
            raise LexalignError(
                f"the shortlist is for {len(offsets) - 1} source tokens and the model has {source_size}; "
                "they belong to different models"
            )
        ends = not len(offsets) or offsets[0] != 0 or offsets[-1] != len(self.token_ids)
        if ends or np.any(np.diff(offsets) < 0) or self.frequent < 0:
            raise LexalignError("the shortlist is damaged: its offsets are out of order")
        if len(self.token_ids) and not 0 <= self.token_ids.min() <= self.token_ids.max() < target_size:
            raise LexalignError(
                f"the shortlist has a target token {self.token_ids.max()} and the model {target_size}; "
                "they belong to different models"
            )


def _as_tensors(listed: NDArray[np.bool_], eos_id: int, device: torch.device) -> Shortlist:
    counts = listed.sum(axis=1)
    size = -(-(int(counts.max()) + 2) // _LENGTH_MULTIPLE) * _LENGTH_MULTIPLE
    rows, tokens = np.nonzero(listed)
    inside = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    token_ids = np.full((len(listed), size), eos_id, dtype=np.int64)
    token_ids[rows, inside] = tokens
    columns = np.full(listed.shape, size - 1, dtype=np.int64)
    columns[rows, tokens], columns[:, eos_id] = inside, 0
    empty = np.arange(size) > counts[:, None]
    token_ids_t, columns_t, empty_t = (
        torch.from_numpy(one).to(device) for one in (token_ids, columns, empty)
    )
    return Shortlist(token_ids=token_ids_t, columns=columns_t, empty=empty_t)
