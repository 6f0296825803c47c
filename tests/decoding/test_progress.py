"""What is known of a hypothesis against what can be seen in its text."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.decoding.constraints.progress import Progress, aim
from lexalign.decoding.constraints.requests import read_request

from .cases import FIRST, Case, cases
from .exhaustive import table_vocabulary
from .matching_oracle import Rules

CPU = torch.device("cpu")


@settings(max_examples=120, deadline=None)
@given(case=cases(kinds=("must",)), data=st.data())
def test_worth_and_moves_are_those_of_the_text(case: Case, data: st.DataObject) -> None:
    constraints, words = case.constraints[0], case.matching().continues_word
    request = read_request(constraints, table_vocabulary(case.size), case.continuing, case.ordered)
    rules = Rules(constraints, case.continuing, case.ordered)
    progress = Progress(aim([request.must], [request.chains], CPU), 1, words)
    row = torch.zeros(1, 1, dtype=torch.int64)
    text: tuple[int, ...] = ()
    for token in data.draw(st.lists(st.integers(FIRST, case.size - 1), max_size=8)):
        tokens, served = progress.moves(progress.standing)
        moves = {int(t): int(s) for t, s in zip(tokens[0, 0], served[0, 0], strict=True) if s}
        words_that_serve = {t for t in range(FIRST, case.size) if rules.moves(text, text, t)}
        assert moves.keys() == words_that_serve
        text = (*text, token)
        progress.take(progress.follow(row, torch.tensor([[token]])))
        met, begun = progress.value(progress.standing)
        assert (float(met), float(begun)) == rules.value(text, text)
        mask = sum(1 << number for number in rules.spans(text, text))
        assert int(progress.standing.effective) == mask
