"""Token replacement, Algorithm 2 line by line, never stopping before the length limit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from lexalign.contracts.constraint import TokenConstraint

from .bank_oracle import NEVER, Finished
from .exhaustive import EOS, START
from .matching_oracle import Text

AlignedTo = Callable[[int, Text], int]  # the source position of a token, after a text


@dataclass(frozen=True)
class Candidate:
    tokens: Text = ()
    score: float = 0.0  # of the tokens that were proposed
    log_probability: float = 0.0  # of those that were generated
    in_progress: tuple[int, ...] = ()  # what is still to be written
    used: frozenset[int] = frozenset()


def replacement_search(
    table: torch.Tensor,
    constraints: Sequence[TokenConstraint],
    aligned_to: AlignedTo,
    *,
    beam: int,
    n_best: int,
    max_length: int,
    penalty: float,
) -> list[Finished]:
    running, finished = [Candidate()], []
    for length in range(max_length + 1):
        if length == max_length:
            finished += [_finish(_grow(table, old, EOS), penalty) for old in running]
            break
        candidates = []
        for old in running:
            row = _row(table, old)
            for token in sorted(range(len(row)), key=lambda token: -float(row[token]))[:2]:
                if float(row[token]) > NEVER:
                    candidates.append(_replace(table, old, token, constraints, aligned_to))
        unique: dict[tuple[int, ...], Candidate] = {}
        for candidate in candidates:
            unique.setdefault(candidate.tokens, candidate)
        ranked = sorted(unique.values(), key=lambda candidate: -candidate.score)
        finished += [_finish(new, penalty) for new in ranked[:beam] if new.tokens[-1] == EOS]
        running = [new for new in ranked if new.tokens[-1] != EOS][:beam]
    return sorted(finished, key=lambda entry: -entry.score)[:n_best]


def _replace(
    table: torch.Tensor,
    old: Candidate,
    token: int,
    constraints: Sequence[TokenConstraint],
    aligned_to: AlignedTo,
) -> Candidate:
    new = _grow(table, old, token)
    writing, used = old.in_progress, old.used
    if not writing:
        place = aligned_to(token, old.tokens)
        forms = [
            (number, form)
            for number, constraint in enumerate(constraints)
            if constraint.source and place in constraint.source and number not in used
            for form in constraint.alternatives
        ]
        if forms:
            row = _row(table, old)
            number, writing = max(forms, key=lambda entry: float(row[entry[1][0]]))
            used = used | {number}
    if not writing:
        return new
    written = _grow(table, old, writing[0])
    return replace(
        new,
        tokens=written.tokens,
        log_probability=written.log_probability,
        in_progress=writing[1:],
        used=used,
    )


def _grow(table: torch.Tensor, old: Candidate, token: int) -> Candidate:
    gain = float(_row(table, old)[token])
    return replace(
        old,
        tokens=(*old.tokens, token),
        score=old.score + gain,
        log_probability=old.log_probability + gain,
    )


def _row(table: torch.Tensor, old: Candidate) -> torch.Tensor:
    return table[len(old.tokens), old.tokens[-1] if old.tokens else START]


def _finish(ended: Candidate, penalty: float) -> Finished:
    return Finished(ended.score / len(ended.tokens) ** penalty, ended.log_probability, ended.tokens[:-1])
