"""A step of a search by banks in a few calls of native code, with the results of `vdba.py` to the bit.

The hundreds of small operations of a step cost more than the products of a small model on a CPU, and half as
much as those of a larger one on a GPU. What is done here is all that does not need the aligner, for
constraints that must be met; where there are preferences, or phrases to avoid, `vdba.py` does it.
"""

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
from lexalign.native.bank_step import BankStep
from lexalign.native.continuations import ContinuationList, Continuations
from lexalign.native.device_listing import list_on_device
from lexalign.native.step_kernels import BlockMemory, StepKernels, step_kernels

_PREPARE_THREADS, _SELECT_THREADS, _COMMIT_THREADS = 64, 128, 64


class BankKernels:
    """Works on the tensors of a `BankState`; what it gives out is overwritten at the next step."""

    def __init__(
        self,
        kernels: StepKernels,
        batch: SearchBatch,
        state: BankState,
        scorer: ConstraintScorer | None,
        allocation: BeamAllocation | None,
    ) -> None:
        self._kernels, self._state, self._scorer, self._beam = kernels, state, scorer, batch.beam
        self._eos_id, self._num_top = batch.vocabulary.eos_id, batch.num_top
        self._device = batch.source_ids.device
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
        self._bound: Tensor | None = None  # by its identity it is known whether the batch is another
        self._rows = 0
        self._held: tuple[Tensor | Candidates, ...] = ()  # the structure has only addresses
        self._listing: ContinuationList | None = None

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
        if tracker.prefer is not None or tracker.avoid is not None:
            return None
        kernels = step_kernels(batch.source_ids.device)
        return None if kernels is None else cls(kernels, batch, state, scorer, allocation)

    def prepare(self, rows: int, clock: Tensor) -> BankPrepared:
        if self._state.total is not self._bound or rows != self._rows:
            self._bind(rows)
        self._step.clock = clock.data_ptr()
        self._run("prepare_banks", _PREPARE_THREADS)
        return self._prepared

    def list(self, step: Step) -> Continuations | None:
        """None where the step's continuations have to be listed otherwise."""
        scores, state, prepared = step.scores, self._state, self._prepared
        if scores.logits is None:
            return None
        continues_word, num_best = state.tracker.must.continues_word, int(self._step.num_best)
        if self._kernels.on_device:
            return list_on_device(
                self._kernels,
                scores.log_probabilities,
                scores.hypotheses,
                state.bias,
                state.rank_bonus,
                tokens=prepared.tokens,
                unfinished=prepared.unfinished,
                just_met=prepared.just_met,
                continues_word=continues_word,
                needs=state.requires,
                num_best=num_best,
                num_top=self._num_top,
                eos_id=self._eos_id,
            )
        if self._listing is None:
            self._listing = ContinuationList(
                tokens=prepared.tokens,
                unfinished=prepared.unfinished,
                just_met=prepared.just_met,
                continues_word=continues_word,
                needs=state.requires,
                num_best=num_best,
                num_top=self._num_top,
                eos_id=self._eos_id,
            )
        return self._listing.list(scores.logits, scores.hypotheses, state.bias, state.rank_bonus)

    def select(
        self, step: Step, end_scores: Tensor, listed: Listed, aligned: AlignedPairs | None
    ) -> Selection[BankUpdate | None]:
        free, hypotheses, bank = listed.free, step.scores.hypotheses, self._step
        held = [end_scores.contiguous(), listed.best_tokens.contiguous(), listed.best_scores.contiguous()]
        bank.end_scores, bank.best_tokens, bank.best_scores = (tensor.data_ptr() for tensor in held)
        bank.free_scores, bank.free_rows = free.scores.data_ptr(), free.beam_index.data_ptr()
        bank.free_tokens, bank.num_free = free.token_ids.data_ptr(), free.scores.shape[1]
        bank.serving, bank.hypotheses = listed.serving.data_ptr(), hypotheses.data_ptr()
        bank.hypothesis_stride = hypotheses.stride(0)
        if aligned is not None:
            sums, shares, alignments = aligned.sums, listed.shares, aligned.alignments.contiguous()
            bank.shares, bank.alignments, bank.sums = (
                tensor.data_ptr() for tensor in (shares, alignments, sums)
            )
            bank.sum_stride, bank.pair_stride = sums.stride(0), sums.stride(1)
            held += [shares, alignments, sums]
        memory = self._memory("select", bank.select_bytes) if self._kernels.on_device else None
        self._run("select_by_banks", _SELECT_THREADS, memory)
        self._held = (*held, free, listed.serving, hypotheses)
        ended = list_ends(held[0], self._eos_id, self._end_bias)
        return Selection(going=self._going, ended=ended, ends=self._may_end, update=None)

    def commit(self) -> None:
        memory = self._memory("commit", self._step.commit_bytes) if self._kernels.on_device else None
        self._run("commit_banks", _COMMIT_THREADS, memory)

    def _run(self, name: str, threads: int, memory: BlockMemory | None = None) -> None:
        self._kernels.run(name, self._step, parts=len(self._state.total), threads=threads, memory=memory)

    def _memory(self, name: str, num_bytes: int) -> BlockMemory:
        """Kept, because a recorded step goes on using it."""
        if name not in self._memories or self._memories[name].num_bytes < num_bytes:
            self._memories[name] = BlockMemory(num_bytes, len(self._state.total), self._device)
        return self._memories[name]

    def _bind(self, rows: int) -> None:
        """Take the addresses of another batch, and room for what is known of its hypotheses."""
        state, self._rows, self._bound = self._state, rows, self._state.total
        self._listing = None
        self._memories: dict[str, BlockMemory] = {}
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
            "boundary_node": state.boundary_node,
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
            return torch.empty(batch, *shape, device=self._device)

        def integers(*shape: int) -> Tensor:
            return torch.empty(batch, *shape, dtype=torch.int64, device=self._device)

        def flags(*shape: int) -> Tensor:
            return torch.empty(batch, *shape, dtype=torch.bool, device=self._device)

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
            at_boundary=flags(rows),
            urgent=flags(rows),
        )
        prepared, beam = self._prepared, self._beam
        self._going = Candidates(scores=floats(beam), beam_index=integers(beam), token_ids=integers(beam))
        assert prepared.urgent is not None
        self._may_end, self._end_bias = flags(rows), floats(rows)
        return {
            "tokens": prepared.tokens,
            "served": prepared.served,
            "continued": prepared.continued,
            "unfinished": prepared.unfinished,
            "just_met": prepared.just_met,
            "is_begun": prepared.begun,
            "at_boundary": prepared.at_boundary,
            "urgent": prepared.urgent,
            "finish_priority": prepared.finish_priority,
            "num_needed": prepared.num_needed,
            "num_met": prepared.num_met_tokens,
            "going_scores": self._going.scores,
            "going_rows": self._going.beam_index,
            "going_tokens": self._going.token_ids,
            "may_end": self._may_end,
            "end_bias": self._end_bias,
            "index": integers(beam),
            "new_packed": integers(beam, width),
            "new_num_tokens": floats(beam, 2),
            "new_scorer_bias": floats(beam),
            "new_costs": floats(beam),
            "new_nearer": floats(beam),
        }
