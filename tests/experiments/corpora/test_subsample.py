"""Parts of the training text that stand for all of it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from experiments.corpora.subsample import subsample


@given(st.integers(1, 200), st.data())
def test_as_many_are_taken_as_are_wanted_and_at_even_distances(total: int, data: st.DataObject) -> None:
    wanted = data.draw(st.integers(1, total))
    taken = [index for index, is_taken in enumerate(subsample(wanted, total)) if is_taken]
    assert len(taken) == wanted
    gaps = {later - earlier for earlier, later in pairwise(taken)}
    assert not gaps or max(gaps) - min(gaps) <= 1
