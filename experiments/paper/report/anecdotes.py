"""Translations by VDBA and by Align-VDBA, side by side, as in the paper's table of anecdotes."""

from typing import Any

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.report.markdown import SYSTEM_NAMES, Results, arrow, table
from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.metrics.constraint_satisfaction import spans_in
from lexalign.metrics.words import WordOptions


def sections(results: Results) -> list[str]:
    told = {pair: results[pair]["anecdotes"]["result"] for pair in PAIRS if "anecdotes" in results[pair]}
    found = ["## Anecdotes"] if told else []
    for pair, result in told.items():
        found += _of_pair(pair, result)
    return found


def _of_pair(pair: str, result: dict[str, Any]) -> list[str]:
    least, most = result["words"]
    shown = arrow(PAIRS[pair].direction("forward")) + PAIRS[pair].mark
    rule = (
        f"{shown}, beam {result['beam']}, decoded on {result['decoded_on']}. The texts are unedited; "
        "what meets constraints is in bold, and beside a system stands the BLEU-C of the sentence. Of the "
        f"{result['compared']} cases of a sentence of {least} to {most} words and marks with a set of "
        f"constraints, {result['same_text']} have the same translation by both; BLEU-C is higher with "
        f"Align-VDBA in {result['better']} and lower in {result['worse']}. These are the sentences with the "
        "largest gains:"
    )
    words = WordOptions(ignore_case=PAIRS[pair].lowercase)
    found = [rule, *(_example(example, words) for example in result["examples"])]
    if result["other_way"]:
        found.append("And this is the one with the largest loss:")
        found += [_example(example, words) for example in result["other_way"]]
    return found


def _example(example: dict[str, Any], words: WordOptions) -> str:
    targets = [target for _, target in example["constraints"]]
    asked = "; ".join(f"{source} → **{target}**" for source, target in example["constraints"])
    rows = [
        ["constraints", asked],
        ["reference", emphasize(example["reference"], targets, words)],
        *(
            [f"{SYSTEM_NAMES[name]} ({example['bleu_c'][name]:.1f})", emphasize(text, targets, words)]
            for name, text in example["texts"].items()
        ),
    ]
    return table([f"sentence {example['sentence']}, set {example['set']}", example["source"]], rows)


def emphasize(text: str, targets: list[str], words: WordOptions) -> str:
    """The text with what meets constraints in bold; two that overlap are set as one."""
    asked = [Constraint(targets=(target,)) for target in targets]
    places: list[Span] = []
    for start, end in sorted(span for span in spans_in(text, asked, words) if span is not None):
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    for start, end in reversed(places):
        text = f"{text[:start]}**{text[start:end]}**{text[end:]}"
    return text
