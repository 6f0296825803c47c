"""What is known of a hypothesis against what can be seen in its text."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.decoding.constraints.phrase_tracker import PhraseTracker, constraint_set
from lexalign.decoding.constraints.sentence_constraints import sort_constraints

from .cases import FIRST, Case, cases
from .exhaustive import table_vocabulary
from .matching_oracle import Rules

CPU = torch.device("cpu")


@settings(max_examples=120, deadline=None)
@given(case=cases(kinds=("must",)), data=st.data())
def test_values_and_next_tokens_are_those_of_the_text(case: Case, data: st.DataObject) -> None:
    constraints, words = case.constraints[0], case.matching().continues_word
    ours = sort_constraints(constraints, table_vocabulary(case.size), case.continuing, case.ordered)
    rules = Rules(constraints, case.continuing, case.ordered)
    tracker = PhraseTracker.start(constraint_set([ours.must], [ours.chains], CPU), 1, words)
    row = torch.zeros(1, 1, dtype=torch.int64)
    text: tuple[int, ...] = ()
    for token in data.draw(st.lists(st.integers(FIRST, case.size - 1), max_size=8)):
        tokens, served, continued = tracker.next_tokens(tracker.first(1))
        moves = {int(t): int(s) for t, s in zip(tokens[0, 0], served[0, 0], strict=True) if s}
        words_that_serve = {t for t in range(FIRST, case.size) if rules.moves(text, text, t)}
        assert moves.keys() == words_that_serve
        for t, mask in zip(tokens[0, 0].tolist(), continued[0, 0].tolist(), strict=True):
            ours_of = rules.moves(text, text, t) if t in moves else []
            assert mask == sum(1 << number for number in ours_of if rules.continues(text, t, number))
        text = (*text, token)
        tracker.commit(tracker.follow(row, torch.tensor([[token]])), row)
        met, begun = tracker.value(tracker.first(1))
        assert (float(met), float(begun)) == rules.value(text, text)
        mask = sum(1 << number for number in rules.spans(text, text))
        assert int(tracker.first(1).effective) == mask
