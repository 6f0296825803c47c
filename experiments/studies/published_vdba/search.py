"""Beam search with VDBA, by the published rules: Hu et al. 2019, as fairseq has it.

At each step of a sentence with a beam of K

1.  the candidates are the 2K best continuations of all hypotheses, the best token of each, and the tokens
    that each needs next for a constraint; an end of sentence is none while a constraint is unmet;
2.  a candidate's bank is the number of constraint tokens that it has met;
3.  the candidates are put in order: the best of each bank, from the fullest bank to the emptiest, then the
    second of each, and so on; 2K of them are kept;
4.  ends of sentence among the first K are finished hypotheses, and the first K others go on.

The sentence is done when K hypotheses have ended, or at its length limit, where those that have met
everything end. The best is that of the highest log-probability / length, the end of sentence included.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from experiments.studies.published_vdba.progress import Node, Progress, Trie
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.model import State, TranslationModel, Vocabulary

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class Partial:
    """A hypothesis, or a candidate for one, and the row that it continues."""

    row: int
    tokens: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    progress: Progress

    @property
    def score(self) -> float:
        return sum(self.log_probabilities)


@torch.inference_mode()
def search(
    model: TranslationModel[State], source_ids: Tensor, constraints: Sequence[Node], *, beam: int, limit: int
) -> list[Hypothesis]:
    """Translate one sentence (1, S) into at most `limit` tokens, the end included; best first.

    There is nothing at all where no hypothesis has met everything before the limit.
    """
    *prefix, last = model.vocabulary.target_prefix
    state = model.start(model.encode(source_ids), beam=beam)
    for token in prefix:
        state.reserve(1)
        model.step(state, torch.tensor([[token]]))
    running = [Partial(row=0, tokens=(), log_probabilities=(), progress=Progress(Trie.of(constraints)))]
    ended: list[Partial] = []
    for step in range(limit):
        state.reserve(1)
        latest = [[one.tokens[-1] if one.tokens else last for one in running]]
        chances = _chances(model.step(state, torch.tensor(latest)).logits[0], model.vocabulary)
        chances = _with_ends(chances, running, model.vocabulary.eos_id, only=step == limit - 1)
        new_ended, running = choose(running, chances, beam, model.vocabulary.eos_id)
        ended += new_ended
        if len(ended) >= beam or not running:
            break
        state.reorder(torch.tensor([[one.row for one in running]]))
    return sorted(map(_finished, ended[:beam]), key=lambda one: -one.score)


def choose(
    running: Sequence[Partial], chances: Tensor, beam: int, eos_id: int
) -> tuple[list[Partial], list[Partial]]:
    """Choose who ends and who goes on, given the log-probabilities (rows, V) of what may come next."""
    ordered = stripe(propose(running, chances, 2 * beam))[: 2 * beam]
    ended = [one for one in ordered[:beam] if one.tokens[-1] == eos_id]
    going = [one for one in ordered if one.tokens[-1] != eos_id][:beam]
    return ended, going


def propose(running: Sequence[Partial], chances: Tensor, best_of_all: int) -> list[Partial]:
    """The candidates, each once."""
    scores = chances + torch.tensor([one.score for one in running])[:, None]
    width = scores.shape[1]
    best = scores.flatten().topk(min(best_of_all, scores.numel())).indices.tolist()
    proposed = {divmod(place, width): None for place in best}
    for row, (one, favourite) in enumerate(zip(running, scores.argmax(dim=1).tolist(), strict=True)):
        proposed |= {(row, token): None for token in (favourite, *sorted(one.progress.next_tokens()))}
    return [
        _grown(running[row], row, token, float(chances[row, token]))
        for row, token in proposed
        if chances[row, token] > _NEVER
    ]


def stripe(candidates: Sequence[Partial]) -> list[Partial]:
    """The best of each bank from the fullest to the emptiest, then the second of each, and so on."""
    banks: dict[int, list[Partial]] = defaultdict(list)
    for one in sorted(candidates, key=lambda one: -one.score):
        banks[one.progress.bank].append(one)
    ranked = [(rank, -bank, one) for bank, members in banks.items() for rank, one in enumerate(members)]
    return [one for _, _, one in sorted(ranked, key=lambda entry: entry[:2])]


def _chances(logits: Tensor, vocabulary: Vocabulary) -> Tensor:
    logits[:, list(vocabulary.never_generated)] = _NEVER
    return logits.float().log_softmax(dim=1)


def _with_ends(chances: Tensor, running: Sequence[Partial], eos_id: int, *, only: bool) -> Tensor:
    """Allow an end to those alone that have met everything; at the limit there is nothing else."""
    ends = [
        float(row[eos_id]) if one.progress.finished else _NEVER
        for one, row in zip(running, chances, strict=True)
    ]
    allowed = torch.full_like(chances, _NEVER) if only else chances.clone()
    allowed[:, eos_id] = torch.tensor(ends)
    return allowed


def _grown(one: Partial, row: int, token: int, chance: float) -> Partial:
    return Partial(
        row=row,
        tokens=(*one.tokens, token),
        log_probabilities=(*one.log_probabilities, chance),
        progress=one.progress.advance(token),
    )


def _finished(one: Partial) -> Hypothesis:
    return Hypothesis(
        token_ids=one.tokens[:-1],
        score=one.score / len(one.tokens),
        log_probability=one.score,
        token_log_probabilities=one.log_probabilities,
    )
