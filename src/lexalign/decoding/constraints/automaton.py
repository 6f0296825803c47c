"""An automaton over tokens that loses no match (Aho and Corasick 1975), one for each sentence of a batch.

Its nodes are the beginnings of phrases; a hypothesis is at the longest one that it ends with. For the phrases
`5 6 7` and `6 8`:

    node      0    1     2       3         4    5
    is        -    5     5 6     5 6 7     6    6 8
    falls to       0     4       0         0    0

After `5 6` the token 8 leads on to node 5, by way of node 4: what was begun inside of a match is not
forgotten when the match breaks. So a node has the moves of all nodes that it falls to, the root's among them.
"""

from collections.abc import Iterable, KeysView, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lexalign.decoding.constraints.records import SentenceTensors
from lexalign.decoding.constraints.requests import Phrase

NO_TOKEN = -1

Table = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SentenceAutomaton:
    """Of phrases that each belong to a constraint, which is a bit of a mask."""

    root: dict[int, int]  # token to node
    moves: list[dict[int, int]]  # of each node, beyond the root's
    ends: list[int]  # the constraints of which a phrase ends here
    reach: list[int]  # the constraints that a phrase begun here belongs to
    gain: list[dict[int, int]]  # by constraint, how many tokens fewer it needs here
    shortest: list[dict[int, int]]  # by constraint, the length of the shortest phrase that ends here


def build_automaton(constraints: Sequence[Sequence[Phrase]]) -> SentenceAutomaton:
    """Of the phrases of each constraint, any of which will do."""
    children: list[dict[int, int]] = [{}]
    ends, reach = [0], [0]
    gain: list[dict[int, int]] = [{}]
    shortest: list[dict[int, int]] = [{}]
    for index, phrases in enumerate(constraints):
        bit, fewest = 1 << index, min(map(len, phrases), default=0)
        for phrase in phrases:
            node, left = 0, len(phrase)
            for token_id in phrase:
                if token_id not in children[node]:
                    children[node][token_id] = len(children)
                    children.append({})
                    ends.append(0)
                    reach.append(0)
                    gain.append({})
                    shortest.append({})
                node = children[node][token_id]
                reach[node] |= bit
                left -= 1
                if left and fewest > left:
                    gain[node][index] = max(gain[node].get(index, 0), fewest - left)
            ends[node] |= bit
            shortest[node][index] = len(phrase)
    moves = _fall(children, ends, reach, gain, shortest)
    return SentenceAutomaton(
        root=children[0], moves=moves, ends=ends, reach=reach, gain=gain, shortest=shortest
    )


def _fall(
    children: list[dict[int, int]],
    ends: list[int],
    reach: list[int],
    gain: list[dict[int, int]],
    shortest: list[dict[int, int]],
) -> list[dict[int, int]]:
    """Give every node what the nodes have that it falls to; the moves, beyond the root's, are returned."""
    root = children[0]
    moves: list[dict[int, int]] = [{}, *children[1:]]
    falls = [0] * len(children)
    level = list(root.values())
    while level:
        below = []
        for node in level:
            fall = falls[node]
            for token_id, child in children[node].items():
                falls[child] = moves[fall].get(token_id) or root.get(token_id, 0)
                below.append(child)
            if fall:
                moves[node] = moves[fall] | children[node]
                ends[node] |= ends[fall]
                reach[node] |= reach[fall]
                for index, value in gain[fall].items():
                    gain[node][index] = max(gain[node].get(index, 0), value)
                shortest[node] = shortest[node] | shortest[fall]  # those are the shorter
        level = below
    return moves


@dataclass(kw_only=True)
class Automata(SentenceTensors):
    """The automata of a batch; N nodes, M moves of a node, G constraints."""

    move_tokens: Tensor  # (B, N, M), the root's first; NO_TOKEN where there are fewer
    move_nodes: Tensor  # (B, N, M)
    ends: Tensor  # (B, N), masks
    reach: Tensor  # (B, N), masks
    gain: Tensor  # (B, N, G)
    shortest: Tensor  # (B, N, G)
    sentence: Tensor  # (B, 1), to index with

    def at(self, table: Tensor, node: Tensor) -> Tensor:
        """Rows of a table (B, N, ...) for nodes (B, ...)."""
        return table[self.sentence.view(-1, *[1] * (node.dim() - 1)), node]

    def go(self, node: Tensor, token_ids: Tensor) -> Tensor:
        """The nodes (B, C) that tokens (B, C) lead to."""
        tokens, nodes = self.moves(node)
        return torch.where(tokens == token_ids[:, :, None], nodes, 0).amax(dim=2)

    def moves(self, node: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens (B, C, M) that lead somewhere from nodes (B, C), each listed once, and where."""
        return self.at(self.move_tokens, node), self.at(self.move_nodes, node)

    def keep(self, sentence_index: Tensor) -> None:
        super().keep(sentence_index)
        self.sentence = torch.arange(len(sentence_index), device=sentence_index.device)[:, None]


def stack_automata(
    automata: Sequence[SentenceAutomaton], num_constraints: int, device: torch.device, static: bool
) -> Automata:
    """As tensors; if they are to be `static`, their sizes are those of few layouts."""
    batch = len(automata)
    nodes = _size((len(one.moves) for one in automata), 32, static)
    most_moves = (len(one.root) + len(moves - one.root.keys()) for one in automata for moves in _keys(one))
    move_tokens = np.full((batch, nodes, _size(most_moves, 4, static)), NO_TOKEN)
    move_nodes = np.zeros_like(move_tokens)
    ends, reach = np.zeros((2, batch, nodes), dtype=np.int64)
    gain, shortest = np.zeros((2, batch, nodes, num_constraints), dtype=np.int64)
    for b, one in enumerate(automata):
        _list_moves(one, move_tokens[b], move_nodes[b])
        ends[b, : len(one.ends)] = one.ends
        reach[b, : len(one.reach)] = one.reach
        for table, values in ((gain[b], one.gain), (shortest[b], one.shortest)):
            for node, by_constraint in enumerate(values):
                for index, value in by_constraint.items():
                    table[node, index] = value
    tables = (move_tokens, move_nodes, ends, reach, gain, shortest)
    on_device = [torch.from_numpy(table).to(device) for table in tables]
    return Automata(
        move_tokens=on_device[0],
        move_nodes=on_device[1],
        ends=on_device[2],
        reach=on_device[3],
        gain=on_device[4],
        shortest=on_device[5],
        sentence=torch.arange(batch, device=device)[:, None],
    )


def _keys(automaton: SentenceAutomaton) -> Iterable[KeysView[int]]:
    return (moves.keys() for moves in automaton.moves)


def _list_moves(automaton: SentenceAutomaton, tokens: Table, nodes: Table) -> None:
    """Into tables (N, M): the root's moves everywhere, unless a node's own lead further."""
    root, size = automaton.root, len(automaton.moves)
    places = {token_id: place for place, token_id in enumerate(root)}
    tokens[:size, : len(root)] = list(root)
    nodes[:size, : len(root)] = list(root.values())
    for node, moves in enumerate(automaton.moves):
        free = len(root)
        for token_id, target in moves.items():
            place = places.get(token_id, free)
            free += place == free
            tokens[node, place], nodes[node, place] = token_id, target


def _size(sizes: Iterable[int], least: int, static: bool) -> int:
    """The largest; or, for layouts to be few, `least` times a power of two that holds it."""
    largest = max(sizes, default=0)
    if not static:
        return max(largest, 1)
    while least < largest:
        least *= 2
    return least
