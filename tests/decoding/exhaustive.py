"""Slow, plain searches to hold the fast one against."""

import math
from itertools import product

import torch

from lexalign.contracts.model import Vocabulary
from lexalign.contracts.table_model import TableModel

PAD, EOS, START = 0, 1, 2
STEPS = 8  # with a table for each step, no two sentences have the same score by chance


def table_vocabulary(size: int) -> Vocabulary:
    return Vocabulary(size=size, pad_id=PAD, eos_id=EOS, target_prefix=(START,), never_generated=(PAD, START))


def random_tables(number: int, size: int, seed: int, sharpness: float = 2.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(number, STEPS, size, size, generator=generator) * sharpness
    logits[..., [PAD, START]] = float("-inf")
    return logits.log_softmax(dim=-1)


def table_model(tables: torch.Tensor) -> TableModel:
    return TableModel(tables, table_vocabulary(tables.shape[-1]))


def log_probability(table: torch.Tensor, tokens: tuple[int, ...]) -> float:
    """Of the tokens and the end of sentence."""
    path = (START, *tokens, EOS)
    return sum(float(table[t, path[t], path[t + 1]]) for t in range(len(path) - 1))


def best_of_all(table: torch.Tensor, max_length: int, penalty: float) -> tuple[tuple[int, ...], float]:
    """The best of all sentences of up to max_length tokens."""
    words = range(START + 1, table.shape[-1])
    sentences = (tokens for length in range(max_length + 1) for tokens in product(words, repeat=length))
    scored = ((log_probability(table, tokens) / (len(tokens) + 1) ** penalty, tokens) for tokens in sentences)
    score, tokens = max(scored)
    return tokens, score


def greedy(table: torch.Tensor, max_length: int) -> tuple[int, ...]:
    """The best token at each step, until the end of sentence is the best."""
    tokens: list[int] = []
    last = START
    while len(tokens) < max_length:
        last = int(table[len(tokens), last].argmax())
        if last == EOS:
            break
        tokens.append(last)
    return tuple(tokens)


def beam_search(
    table: torch.Tensor, beam: int, n_best: int, max_length: int, penalty: float
) -> list[tuple[tuple[int, ...], float]]:
    """Beam search by the book, never stopping before the length limit."""
    running: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    finished: list[tuple[float, tuple[int, ...]]] = []
    for length in range(max_length + 1):
        if length == max_length:
            finished += [
                (_normal(score + _next(table, tokens, EOS), length + 1, penalty), tokens)
                for score, tokens in running
            ]
            break
        candidates = [
            (score + _next(table, tokens, token), tokens, token)
            for score, tokens in running
            for token in range(table.shape[-1])
            if _next(table, tokens, token) > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for score, tokens, token in candidates[:beam]:
            if token == EOS:
                finished.append((_normal(score, length + 1, penalty), tokens))
        considered = candidates[: 2 * beam] if beam > 1 else candidates[:1]
        running = [(score, (*tokens, token)) for score, tokens, token in considered if token != EOS][:beam]
    finished.sort(key=lambda entry: -entry[0])
    return [(tokens, score) for score, tokens in finished[:n_best]]


def _next(table: torch.Tensor, tokens: tuple[int, ...], token: int) -> float:
    return float(table[len(tokens), tokens[-1] if tokens else START, token])


def _normal(score: float, length: int, penalty: float) -> float:
    return float(score / length**penalty)
