"""The automaton against a search for substrings."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.decoding.constraints.automaton import Automata, build_automata

CPU = torch.device("cpu")
phrases = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
constraint_lists = st.lists(st.lists(phrases, min_size=1, max_size=2), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(constraints=constraint_lists, text=st.lists(st.integers(0, 4), max_size=12))
def test_no_match_is_lost(constraints: list[list[tuple[int, ...]]], text: list[int]) -> None:
    automata = _automata(constraints, static=False)
    node = automata.root[:, None]
    for end, token in enumerate(text, start=1):
        node = automata.go(node, torch.tensor([[token]]))
        so_far = tuple(text[:end])
        ending = {
            index: min(len(p) for p in phrases if so_far[end - len(p) :] == p and len(p) <= end)
            for index, phrases in enumerate(constraints)
            if any(so_far[-len(p) :] == p for p in phrases)
        }
        assert int(automata.ends[node]) == sum(1 << index for index in ending)
        shortest = automata.shortest[node][0, 0].tolist()
        assert {index: length for index, length in enumerate(shortest) if length} == ending


@settings(max_examples=100, deadline=None)
@given(constraints=constraint_lists, text=st.lists(st.integers(0, 4), max_size=8))
def test_moves_are_all_that_continue_a_beginning(
    constraints: list[list[tuple[int, ...]]], text: list[int]
) -> None:
    automata = _automata(constraints, static=True)
    node = automata.root[:, None]
    for token in text:
        node = automata.go(node, torch.tensor([[token]]))
    tokens, _, reach, _ = automata.moves(node)
    found = {int(t): int(r) for t, r in zip(tokens[0, 0], reach[0, 0], strict=True) if t >= 0}
    expected: dict[int, int] = {}
    for index, forms in enumerate(constraints):
        for form in forms:
            for size in range(len(form)):
                if size <= len(text) and tuple(text[len(text) - size :]) == form[:size]:
                    expected[form[size]] = expected.get(form[size], 0) | 1 << index
    # What a move leads to may lead further: a constraint counts that a beginning belongs to.
    assert {token: mask & expected[token] for token, mask in found.items()} == expected
    assert found.keys() == expected.keys()


def test_matches_that_others_miss() -> None:
    assert _ends([[(1, 2)]], [1, 1, 2]) == [0, 0, 1]
    assert _ends([[(5, 6, 7)], [(6,)]], [5, 6, 8]) == [0, 2, 0]
    assert _ends([[(11, 12)], [(13,)]], [11, 13]) == [0, 2]
    assert _ends([[(1, 2, 3)], [(2,)]], [1, 2, 3]) == [0, 2, 1]


def _automata(constraints: list[list[tuple[int, ...]]], *, static: bool) -> Automata:
    """Of the second of two sentences."""
    others: list[list[tuple[int, ...]]] = [[(0, 1), (1,)], [(1, 0, 1)]]
    rates = np.ones((2, max(2, len(constraints))), dtype=np.float32)
    automata = build_automata([others, constraints], rates, CPU, static=static)
    automata.keep(torch.tensor([1]))
    return automata


def _ends(constraints: list[list[tuple[int, ...]]], text: list[int]) -> list[int]:
    automata = _automata(constraints, static=False)
    node, ends = automata.root[:, None], []
    for token in text:
        node = automata.go(node, torch.tensor([[token]]))
        ends.append(int(automata.ends[node]))
    return ends
