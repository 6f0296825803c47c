"""BLEU and chrF by sacreBLEU, each score with its signature."""

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics import BLEU, CHRF

from lexalign.characters import mostly_unspaced
from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class Score:
    name: str
    value: float
    signature: str


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    return _score("BLEU", BLEU(tokenize=bleu_tokenizer(references)), hypotheses, references)


def bleu_tokenizer(references: Sequence[str]) -> str:
    """sacreBLEU's tokenizer: by words, or by characters if the references are written without spaces."""
    return "char" if mostly_unspaced("".join(references)) else "13a"


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    """chrF2; with word n-grams it would be chrF++."""
    return _score("chrF", CHRF(), hypotheses, references)


def _score(name: str, metric: BLEU | CHRF, hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    if len(hypotheses) != len(references):
        raise LexalignError(
            f"{len(hypotheses)} hypotheses and {len(references)} references; the numbers must be equal"
        )
    if not hypotheses:
        raise LexalignError("there are no sentences to score")
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(name=name, value=float(value), signature=str(metric.get_signature()))
