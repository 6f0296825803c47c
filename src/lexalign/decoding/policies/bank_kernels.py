"""A step of a search by banks in three calls of native code, with the results of `vdba.py` to the bit.

On a CPU the hundreds of small operations of a step cost more than the products of a small model. What is done
here is all that needs neither the vocabulary nor the aligner, for constraints that must be met; where there
are preferences, or phrases to avoid, `vdba.py` does it.
"""

import ctypes

import torch
from torch import Tensor

from lexalign.decoding.candidates import Candidates, list_ends
from lexalign.decoding.policies.banks import (
    BankPrepared,
    BankState,
    BankUpdate,
    BeamAllocation,
    ConstraintScorer,
    Listed,
)
from lexalign.decoding.policies.source_alignment import AlignedPairs
from lexalign.decoding.policy import SearchBatch, Selection, Step
from lexalign.native.bank_step import BankStep, bank_functions


class BankKernels:
    """Works on the tensors of a `BankState`; what it gives out is overwritten at the next step."""

    def __init__(
        self,
        library: ctypes.CDLL,
        batch: SearchBatch,
        state: BankState,
        scorer: ConstraintScorer | None,
        allocation: BeamAllocation | None,
    ) -> None:
        self._library, self._state, self._scorer, self._beam = library, state, scorer, batch.beam
        self._eos_id = batch.vocabulary.eos_id
        self._step = BankStep(
            beam=batch.beam,
            eos_id=self._eos_id,
            num_best=1,
            average_costs=state.stopping.average_costs,
            expecting=state.stopping.expected is not None,
            length_penalty=batch.length_penalty,
            cost_penalty=state.stopping.costs.length_penalty,
        )
        if scorer is not None:
            self._step.set(scorer.kernel_numbers)
            self._step.set({"num_best": scorer.num_best, "joint": scorer.joint})
            if scorer.threshold is not None:
                self._step.set({"thresholded": True, "threshold": scorer.threshold})
        if allocation is not None:
            self._step.set(allocation.kernel_numbers(batch.beam))
        self._pointer = ctypes.byref(self._step)
        self._bound: Tensor | None = None  # by its identity it is known whether the batch is another
        self._rows = 0
        self._held: tuple[Tensor | None, ...] = ()  # the structure has only addresses

    @classmethod
    def start(
        cls,
        batch: SearchBatch,
        state: BankState,
        scorer: ConstraintScorer | None,
        allocation: BeamAllocation | None,
    ) -> "BankKernels | None":
        """None where there is no native code, or where it does not do all that is asked for."""
        tracker = state.tracker
        if batch.source_ids.device.type != "cpu" or tracker.prefer is not None or tracker.avoid is not None:
            return None
        library = bank_functions()
        return None if library is None else cls(library, batch, state, scorer, allocation)

    def prepare(self, rows: int, clock: Tensor) -> BankPrepared:
        if self._state.total is not self._bound or rows != self._rows:
            self._bind(rows)
        self._step.clock = clock.data_ptr()
        self._library.prepare_banks(self._pointer)
        return self._prepared

    def select(
        self, step: Step, end_scores: Tensor, listed: Listed, aligned: AlignedPairs | None
    ) -> Selection[BankUpdate | None]:
        free, hypotheses = listed.free, step.scores.hypotheses
        shape = len(free.scores), self._beam
        going = Candidates(
            scores=torch.empty(shape),
            beam_index=torch.empty(shape, dtype=torch.int64),
            token_ids=torch.empty(shape, dtype=torch.int64),
        )
        tensors: dict[str, Tensor] = {
            "end_scores": end_scores.contiguous(),
            "free_scores": free.scores,
            "free_rows": free.beam_index,
            "free_tokens": free.token_ids,
            "serving": listed.serving,
            "best_tokens": listed.best_tokens.contiguous(),
            "best_scores": listed.best_scores.contiguous(),
            "going_scores": going.scores,
            "going_rows": going.beam_index,
            "going_tokens": going.token_ids,
        }
        numbers = {
            "num_free": free.scores.shape[1],
            "hypotheses": hypotheses.data_ptr(),
            "hypothesis_stride": hypotheses.stride(0),
        }
        if aligned is not None:
            sums = aligned.sums
            tensors |= {"shares": listed.shares, "alignments": aligned.alignments.contiguous()}
            numbers |= {"sums": sums.data_ptr(), "sum_stride": sums.stride(0), "pair_stride": sums.stride(1)}
        self._step.set(numbers)
        self._step.set({name: tensor.data_ptr() for name, tensor in tensors.items()})
        self._library.select_by_banks(self._pointer)
        self._held = (*tensors.values(), hypotheses, None if aligned is None else aligned.sums)
        ended = list_ends(tensors["end_scores"], self._eos_id, self._end_bias)
        return Selection(going=going, ended=ended, ends=self._may_end, update=None)

    def commit(self) -> None:
        self._library.commit_banks(self._pointer)

    def _bind(self, rows: int) -> None:
        """Take the addresses of another batch, and room for what is known of its hypotheses."""
        state, self._rows, self._bound = self._state, rows, self._state.total
        must, stopping = state.tracker.must, state.stopping
        constraints, automata = must.constraints, must.constraints.automata
        tensors: dict[str, Tensor | None] = {
            "root": automata.root,
            "table": automata.table,
            "ends": automata.ends,
            "begun": automata.begun,
            "shortest": automata.shortest,
            "everything": constraints.everything,
            "partial": constraints.partial,
            "chain_masks": constraints.chains,
            "value": constraints.value,
            "continues_word": must.continues_word,
            "limits": state.limits,
            "total": state.total,
            "without_source": state.without_source,
            "source_norm": stopping.costs.source_norm,
            "most_bonus": stopping.most_bonus,
            "packed": must.packed,
            "num_tokens": state.tracker.num_tokens,
            "scorer_bias": state.scorer_bias,
            "bias": state.bias,
            "rank_bonus": state.rank_bonus,
            "costs": stopping.costs.so_far,
            "num_costly": stopping.costs.num_tokens,
            "bound_bias": stopping.bias,
            "bound_constant": stopping.constant,
        }
        if stopping.expected is not None:
            expected = stopping.expected
            tensors |= {"least": expected.least, "cheapest": expected.cheapest}
            tensors |= {"end": expected.end, "end_length": expected.end_length}
        if self._scorer is not None:
            tensors |= self._scorer.kernel_tensors
        batch, moves = len(state.total), automata.table.shape[2]
        sizes = {
            "batch": batch,
            "rows": rows,
            "moves": moves,
            "constraints": constraints.value.shape[1],
            "chains": constraints.chains.shape[1],
            "depth": automata.begun.shape[2],
            "source": 0 if (mass := tensors.get("mass")) is None else mass.shape[2],
        }
        self._step.set(sizes)
        tensors |= self._make_room(batch, rows, moves, must.packed.shape[2])
        self._bound_tensors = tensors
        for name, tensor in self._bound_tensors.items():
            assert tensor is None or tensor.is_contiguous(), name
            setattr(self._step, name, 0 if tensor is None else tensor.data_ptr())

    def _make_room(self, batch: int, rows: int, moves: int, width: int) -> dict[str, Tensor]:
        def floats(*shape: int) -> Tensor:
            return torch.empty(batch, *shape)

        def integers(*shape: int) -> Tensor:
            return torch.empty(batch, *shape, dtype=torch.int64)

        def flags(*shape: int) -> Tensor:
            return torch.empty(batch, *shape, dtype=torch.bool)

        self._prepared = BankPrepared(
            unfinished=(unfinished := flags(rows)),
            num_met_tokens=floats(rows),
            may_not_end=unfinished,
            finish_priority=floats(rows),
            just_met=flags(rows),
            tokens=integers(rows, moves),
            served=integers(rows, moves),
            continued=integers(rows, moves),
            preferred_tokens=None,
            num_needed=floats(1),
            begun=flags(rows),
            urgent=flags(rows),
        )
        prepared, beam = self._prepared, self._beam
        assert prepared.urgent is not None
        self._may_end, self._end_bias = flags(rows), floats(rows)
        return {
            "tokens": prepared.tokens,
            "served": prepared.served,
            "continued": prepared.continued,
            "unfinished": prepared.unfinished,
            "just_met": prepared.just_met,
            "is_begun": prepared.begun,
            "urgent": prepared.urgent,
            "finish_priority": prepared.finish_priority,
            "num_needed": prepared.num_needed,
            "num_met": prepared.num_met_tokens,
            "may_end": self._may_end,
            "end_bias": self._end_bias,
            "index": integers(beam),
            "new_packed": integers(beam, width),
            "new_num_tokens": floats(beam, 2),
            "new_scorer_bias": floats(beam),
            "new_costs": floats(beam),
            "new_nearer": floats(beam),
        }
