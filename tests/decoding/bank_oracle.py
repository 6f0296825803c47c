"""VDBA and Align-VDBA by the book: lists, loops and texts.

An exact search never stops before the length limit, any other when nothing better is to be expected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.policies.guided import REFUNDED

from .exhaustive import EOS
from .matching_oracle import FREE, Rules, Text, completes
from .scoring_oracle import Partial, Scoring, ScoringOracle

NEVER = float("-inf")


@dataclass(frozen=True)
class Finished:
    score: float
    log_probability: float
    tokens: Text
    cost: float = 0.0


class BankOracle(ScoringOracle):
    """Searches one sentence."""

    def __init__(
        self,
        table: torch.Tensor,
        constraints: Sequence[TokenConstraint],
        *,
        beam: int,
        n_best: int,
        max_length: int,
        penalty: float,
        source_length: int,
        average_costs: bool = False,
        continuing: frozenset[int] = frozenset(),
        ordered: bool = False,
        scoring: Scoring | None = None,
        advantage: float = 0.0,
        by_rank: float = 0.0,
        exact: bool = True,
    ) -> None:
        kinds = {kind: [c for c in constraints if c.kind == kind] for kind in ("must", "prefer", "avoid")}
        self.table, self.beam, self.n_best = table, beam, n_best
        self.limit, self.penalty, self.continuing = max_length + 1, penalty, continuing
        self.must = Rules(kinds["must"], continuing, ordered)
        # Of the same wish given twice, each is granted by the same words.
        self.wishes = [Rules([wish], continuing) for wish in kinds["prefer"]]
        self.avoid = kinds["avoid"]
        self.scoring = scoring
        self.advantage, self.by_rank = advantage, by_rank
        self.tied = False  # as where 3 3 3 3 serves 3 3 3 in two ways: either is right
        self.cost_length = None if average_costs else source_length
        self.exact = exact
        self.steps = 0
        self.undecided = False  # whether rounding may have told when to stop
        self.asked = bool(constraints)
        self.least_cost = NEVER  # of a token of a constraint, on average over any hypothesis so far
        self.natural_end, self.natural_length = NEVER, 0  # the best average, whatever was lacking

    def search(self) -> list[Finished]:
        running = [Partial()]
        finished: list[Finished] = []
        for step in range(self.limit):
            self.steps = step + 1
            if step + 1 == self.limit:
                finished += self.close(running, bool(finished), step)
                break
            pool = self.propose(running, step)
            pool = self.reserve(pool, step)
            ends = self.ends(running, pool, step)
            if not pool and not finished:
                finished += ends or self.close(running, False, step)
                break
            finished += ends
            self.see_ends(running, step + 1)
            running = self.allocate(pool)
            if not self.exact and self.nothing_better(running, finished, step + 2):
                break
        return sorted(finished, key=lambda entry: -entry.score)[: self.n_best]

    def nothing_better(self, running: list[Partial], finished: list[Finished], length: int) -> bool:
        """Whether the n best are better than all that run, `length` being theirs if they ended now."""
        rates = [h.cost / self.num_met_tokens(h) for h in running if self.num_met_tokens(h) > 0]
        self.least_cost = max([self.least_cost, *rates])
        scores = sorted((entry.score for entry in finished), reverse=True)
        if len(scores) < self.n_best:
            return False
        cheapest = max(entry.cost for entry in finished)
        best = max((self.expected(h, length, cheapest) for h in running), default=NEVER)
        self.undecided = self.undecided or abs(scores[self.n_best - 1] - best) < 1e-5
        return scores[self.n_best - 1] >= best

    def see_ends(self, running: list[Partial], length: int) -> None:
        ends = [self.next(hypothesis, EOS) for hypothesis in running]
        best = max(ends, default=NEVER) / length**self.penalty
        self.undecided = self.undecided or abs(best - self.natural_end) < 1e-5
        if best > self.natural_end:
            self.natural_end, self.natural_length = best, length

    def expected_cost(self, hypothesis: Partial, length: int, cheapest: float) -> float:
        missing = max(self.must.total() - self.num_met_tokens(hypothesis), 0)
        if not missing:
            return hypothesis.cost
        cost = hypothesis.cost + (missing * self.least_cost if self.least_cost > NEVER else 0.0)
        gain = hypothesis.score / length**self.penalty - self.natural_end
        self.undecided = self.undecided or abs(gain) < 1e-5
        past = length >= 1.25 * self.natural_length and gain <= 0
        return min(cost, cheapest) if past else cost

    def expected(self, hypothesis: Partial, length: int, cheapest: float) -> float:
        """The score if it ended as soon as it may, with all that it could be granted."""
        wishes = sum(wish.constraints[0].bonus * wish.total() for wish in self.wishes)
        rank, constant = hypothesis.score + hypothesis.weight + wishes, 0.0
        soonest = length
        if self.cost_length is None:
            soonest = self.limit if self.asked and rank < 0 else length
        else:
            rank -= hypothesis.cost
            soonest -= hypothesis.num_costly
            constant = self.expected_cost(hypothesis, length, cheapest) / self.cost_length**self.penalty
        return float(rank / soonest**self.penalty + constant)

    def propose(self, running: list[Partial], step: int) -> list[Partial]:
        allowed = [
            (hypothesis, token)
            for hypothesis in running
            for token in range(self.table.shape[-1])
            if self.allows(hypothesis, token)
        ]
        moves = [pair for pair in allowed if pair[1] != EOS and self.served(*pair)]
        undoing = [pair for pair in allowed if self.undoes(*pair)]
        allowed = [
            pair for pair in allowed if pair not in undoing or self.served(*pair) or self.wished(*pair)
        ]
        top = sorted(
            allowed,
            key=lambda pair: -(self.next(*pair) + self.bias(pair[0]) + self.refund(pair[0])),
        )
        free = top[: 2 * self.beam if self.beam > 1 else 1]
        for hypothesis in running:
            mine = [pair for pair in allowed if pair[0] is hypothesis]
            if self.must.constraints and mine:
                free.append(max(mine, key=lambda pair: self.next(*pair)))
            undo = [pair for pair in undoing if pair[0] is hypothesis]
            free += sorted(undo, key=lambda pair: -self.next(*pair))[:1]
            free += [pair for pair in mine if self.wished(*pair)]
        free = [pair for pair in dict.fromkeys(free) if pair[1] != EOS]
        if self.scoring is None:
            return [self.grow(*pair) for pair in dict.fromkeys([*free, *moves])]
        scored = {
            pair: weight for pair in moves if (weight := self.score_serving(*pair, step, allowed)) is not None
        }
        if not self.scoring.joint:
            return [
                *(self.grow(*pair) for pair in free),
                *(self.grow(*pair, weight) for pair, weight in scored.items() if pair not in free),
            ]
        return [
            *(
                self.grow(*pair, self.exclusion(*pair), serve=False)
                for pair in free
                if scored.get(pair, NEVER) < self.exclusion(*pair)
            ),
            *(self.grow(*pair, weight) for pair, weight in scored.items()),
        ]

    def reserve(self, pool: list[Partial], step: int) -> list[Partial]:
        left = self.limit - step - 2
        able = [
            new
            for new in pool
            if self.must.total() - self.num_met_tokens(new) <= left
            and (left > 0 or not completes(new.tokens, self.avoid, self.continuing, ended=True))
        ]
        return able or pool

    def ends(self, running: list[Partial], pool: list[Partial], step: int) -> list[Finished]:
        ending = [hypothesis for hypothesis in running if self.may_end(hypothesis)]
        ranks = {id(h): self.next(h, EOS) + self.bias(h) for h in ending}
        finished = []
        for hypothesis in ending:
            rank = ranks[id(hypothesis)]
            ahead = sum(other > rank for other in ranks.values())
            ahead += sum(self.rank(new) > rank for new in pool if self.meets_all(new))
            if ahead < self.beam and rank > NEVER:
                finished.append(self.finish(hypothesis, step))
        return finished

    def close(self, running: list[Partial], any_finished: bool, step: int) -> list[Finished]:
        def priority(hypothesis: Partial) -> float:
            clean = not completes(hypothesis.tokens, self.avoid, self.continuing, ended=True)
            return 2 * self.num_met_tokens(hypothesis) + clean

        running = [h for h in running if self.next(h, EOS) > NEVER]
        if not running:
            return []
        best = 2 * self.must.total() + 1 if any_finished else max(map(priority, running))
        return [self.finish(h, step) for h in running if priority(h) == best]

    def allocate(self, pool: list[Partial]) -> list[Partial]:
        banks: dict[float, list[Partial]] = {}
        for new in sorted(pool, key=lambda new: -self.rank(new)):
            banks.setdefault(self.num_met_tokens(new), []).append(new)
        rounds = []
        for depth in range(len(pool)):
            rounds += [banks[bank][depth] for bank in sorted(banks, reverse=True) if depth < len(banks[bank])]
        best: list[Partial] = []
        if self.by_rank:
            slots = max(1, int(self.by_rank * self.beam))
            best = self.best(pool, (slots + 1) // 2, self.rank)
            others = [new for new in pool if not any(new is one for one in best)]
            best += self.best(others, slots // 2, lambda new: self.rank(new) + self.refund(new))
        order = [*best, *(new for new in rounds if not any(new is one for one in best))]
        self.tied = self.tied or self.ties(order[: self.beam], order[self.beam :])
        return order[: self.beam]

    def best(self, pool: list[Partial], count: int, key: Callable[[Partial], float]) -> list[Partial]:
        ranked = sorted(pool, key=lambda new: -key(new))
        if 0 < count < len(ranked):
            self.tied = self.tied or abs(key(ranked[count - 1]) - key(ranked[count])) < 1e-5
        return ranked[:count]

    def refund(self, hypothesis: Partial) -> float:
        """What counts again of what constraints have cost, if nothing else tells the place of one."""
        if all(constraint.source for constraint in self.must.constraints):
            return 0.0
        return min(self.advantage * self.num_met_tokens(hypothesis), -REFUNDED * hypothesis.cost)

    def ties(self, chosen: list[Partial], others: list[Partial]) -> bool:
        """Whether one that goes on is no better than one that does not."""
        return any(
            self.num_met_tokens(one) == self.num_met_tokens(other)
            and abs(self.rank(one) - self.rank(other)) < 1e-5
            for one in chosen
            for other in others
        )

    def allows(self, hypothesis: Partial, token: int) -> bool:
        if self.lookup(hypothesis, token) == NEVER:
            return False
        if token == EOS:
            return self.may_end(hypothesis)
        return not completes((*hypothesis.tokens, token), self.avoid, self.continuing, ended=False)

    def may_end(self, hypothesis: Partial) -> bool:
        clean = not completes(hypothesis.tokens, self.avoid, self.continuing, ended=True)
        return clean and self.meets_all(hypothesis)

    def meets_all(self, hypothesis: Partial) -> bool:
        return len(self.must.spans(hypothesis.tokens, hypothesis.view)) == len(self.must.constraints)

    def wished(self, hypothesis: Partial, token: int) -> bool:
        return any(wish.moves(hypothesis.tokens, hypothesis.tokens, token) for wish in self.wishes)

    def bias(self, hypothesis: Partial) -> float:
        """What its rank has beyond its score if nothing begun is continued."""
        return hypothesis.weight + sum(self._wish_values(hypothesis)[0])

    def rank(self, hypothesis: Partial) -> float:
        kept, begun = self._wish_values(hypothesis)
        return hypothesis.score + hypothesis.weight + sum(kept) + max(begun, default=0.0)

    def grow(self, hypothesis: Partial, token: int, weight: float = 0.0, serve: bool = True) -> Partial:
        new = Partial(
            self.next(hypothesis, token),
            hypothesis.weight + weight,
            (*hypothesis.tokens, token),
            (*hypothesis.view, token if serve else FREE),
            hypothesis.cost,
            hypothesis.num_costly,
        )
        if self.num_met_tokens(new) <= self.num_met_tokens(hypothesis):
            return new
        cost = new.cost + self.lookup(hypothesis, token) + weight
        return replace(new, cost=cost, num_costly=new.num_costly + 1)

    def finish(self, hypothesis: Partial, step: int) -> Finished:
        score = self.next(hypothesis, EOS)
        rank = score + self.bias(hypothesis)
        normal = rank / (step + 1) ** self.penalty
        if self.cost_length is not None:
            free = (rank - hypothesis.cost) / (step + 1 - hypothesis.num_costly) ** self.penalty
            normal = free + hypothesis.cost / self.cost_length**self.penalty - self.uncovered(hypothesis)
        return Finished(normal, score, hypothesis.tokens, hypothesis.cost)

    def _wish_values(self, hypothesis: Partial) -> tuple[list[float], list[float]]:
        values = [wish.value(hypothesis.tokens, hypothesis.tokens, "bonus") for wish in self.wishes]
        return [kept for kept, _ in values], [begun for _, begun in values]
