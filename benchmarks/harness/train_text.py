"""Random pairs with the lengths of parliament speeches, as a token store."""

from pathlib import Path

import numpy as np

from lexalign.data.columns import IndexArray
from lexalign.data.store import TokenStore

_MEAN_LENGTH = 27.0  # target tokens, as of Europarl with a joint vocabulary of 10,000
_SPREAD = 0.65  # of the logarithm of a length
_DIFFERENCE = 0.18  # between the logarithms of a pair's lengths
_MOST = 250
_FIRST_ID = 4  # after the control symbols


def random_store(path: Path, *, num_pairs: int, vocabulary_size: int) -> TokenStore:
    """Token ids follow Zipf's law, so that there is something to learn."""
    generator = np.random.default_rng(1)
    logs = generator.normal(np.log(_MEAN_LENGTH) - _SPREAD**2 / 2, _SPREAD, num_pairs)
    targets = _rounded(logs)
    sources = _rounded(logs + generator.normal(0.02, _DIFFERENCE, num_pairs))
    shares = 1 / np.arange(10, vocabulary_size - _FIRST_ID + 10)
    columns = []
    for lengths in (sources, targets):
        ids = generator.choice(len(shares), size=int(lengths.sum()), p=shares / shares.sum()) + _FIRST_ID
        columns.append([sentence.tolist() for sentence in np.split(ids, lengths.cumsum()[:-1])])
    return TokenStore.build(path, [(columns[0], columns[1])], vocabulary_size=vocabulary_size)


def _rounded(logs: np.ndarray) -> IndexArray:
    lengths: IndexArray = np.clip(np.exp(logs).round(), 1, _MOST).astype(np.int64)
    return lengths
