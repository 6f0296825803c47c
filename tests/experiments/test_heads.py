"""How many rounds of self-training there are."""

import pytest

from experiments.stages.heads import train_rounds
from experiments.workspace import Result


@pytest.mark.parametrize(
    ("apart", "wanted"),
    [
        ([0.38, 0.36, 0.30], 2),  # attention taught well: what a third would bring is not asked
        ([0.36, 0.38, 0.30], 2),
        ([0.55, 0.42, 0.39, 0.30], 3),
        ([0.55, 0.42, 0.36, 0.30, 0.20], 4),  # as many as there may be
    ],
)
def test_rounds_go_on_as_long_as_they_bring_directions_together(apart: list[float], wanted: int) -> None:
    def train(number: int) -> Result:
        return {"agreement": {"post-aln": apart[number - 1]}}

    assert list(train_rounds(train, 4)) == list(range(1, wanted + 1))
