"""What a hypothesis has met of its constraints, by the published rules (Hu et al. 2019; fairseq).

The constraints are a trie, and a node of it is known by the tokens that lead there. Each node counts how many
constraints pass through it and how many end there, and each hypothesis how often it has entered and completed
it. With the constraints `5 6` and `8`:

    token       5      6      7      8
    node        5      5 6    root   8
    entered     1      2      2      3       tokens met: the bank
    completed   0      1      1      2       constraints met

A token that does not go on from a node falls back to the root, and what was begun is given up, unless a
shorter constraint ends on the way. The token may then start another constraint. Nothing else is tried, which
is how matches are lost: `5 6` is not found in `5 5 6`, because the second 5 finds its node still taken.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

Node = tuple[int, ...]
ROOT: Node = ()


@dataclass(frozen=True)
class Trie:
    """How many constraints pass through each node, or end there, and how many end there."""

    passing: Counter[Node]
    ending: Counter[Node]

    @classmethod
    def of(cls, constraints: Sequence[Node]) -> "Trie":
        passing = Counter(tokens[:size] for tokens in constraints for size in range(1, len(tokens) + 1))
        return cls(passing, Counter(constraints))

    def children(self, node: Node) -> list[Node]:
        return [other for other in self.passing if len(other) == len(node) + 1 and other[:-1] == node]


@dataclass(frozen=True)
class Progress:
    """The progress of one hypothesis; what ends at the present node is completed only when it is left."""

    trie: Trie
    node: Node = ROOT
    entered: Counter[Node] = field(default_factory=Counter)
    completed: Counter[Node] = field(default_factory=Counter)

    @property
    def bank(self) -> int:
        """Constraint tokens that have been met, those of a constraint that is only begun included."""
        return self.entered.total()

    @property
    def finished(self) -> bool:
        return self.completed.total() + self._completes(self.node) == self.trie.ending.total()

    def next_tokens(self) -> set[int]:
        """What would go on from the present node or start another constraint."""
        nodes = [*self.trie.children(self.node), *self.trie.children(ROOT)]
        return {node[-1] for node in nodes if self._is_open(node)}

    def advance(self, token: int) -> "Progress":
        onward, anew = (*self.node, token), (token,)
        if self._is_open(onward):
            return self._enter(onward)
        # The counts before falling back decide.
        starts = self._is_open(anew)
        fallen = self._fall_back()
        return fallen._enter(anew) if starts else fallen

    def _is_open(self, node: Node) -> bool:
        return self.entered[node] < self.trie.passing[node]

    def _completes(self, node: Node) -> bool:
        return self.completed[node] < self.trie.ending[node]

    def _enter(self, node: Node) -> "Progress":
        return Progress(self.trie, node, self.entered + Counter([node]), self.completed)

    def _fall_back(self) -> "Progress":
        """Return to the root; up to the first node where a constraint ends, what was entered is given up."""
        entered, node = self.entered.copy(), self.node
        while node and not self._completes(node):
            entered[node] -= 1
            node = node[:-1]
        completed = self.completed + Counter([node] if node else [])
        return Progress(self.trie, ROOT, entered, completed)
