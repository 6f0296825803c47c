"""Terms in whole sentences: is every term met, and is the sentence still there?

    python -m experiments.studies.whole_sentences --source en --target de --cases ui-terms.jsonl iate.jsonl
    python -m experiments.studies.whole_sentences --source de --target en --input held-out.de --terms 1 2 4 8
    ... --input held-out.de --reference held-out.en --terms 1 2 4 8
    ... --input held-out.de --terms 2 4 7 --lexicon experiments/studies/medical_terms.tsv

Sets of sentences with terms:

cases        JSON lines with a text, a reference, and constraints with places in the text, or as those of
             Dinu et al. (2019) with `src`, `ref` and `terms`
sampled n    sentences of the input with up to n phrases of the reference that the plain translation lacks, by
             the links of both bundled directions
unknown n    sentences of the input, of whose plain translation up to n words, each of which surely comes from
             one noun of the source, are exchanged for words of other sentences; the reference is the plain
             translation with these words exchanged
lexicon n    the same with terms of a list (`--lexicon`, source and target with a tab between them) in place
             of the nouns of the source and of the words of the translation

Asked of every policy at every beam:

BLEU, chrF   against the reference
met          terms that are in the translation as whole words, in per cent
form         those, and the ones that are there in another form
inside       those, and the ones that are a part of a longer word
length       words over those of the plain translation
short        sentences under 0.8 of that, in per cent
bare         sentences in which two terms stand side by side, and not in the reference
covered      source words that a word of the translation is linked to, in per cent
"""

import argparse
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import get_args

import simplemma

from experiments.studies.term_cases import (
    Case,
    Sampler,
    read_cases,
    read_lexicon,
    read_pairs,
    unknown_terms,
)
from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.metrics.quality import bleu, chrf
from lexalign.storage import write_text
from lexalign.translator import ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.options import PolicyName


@dataclass(frozen=True, kw_only=True)
class Figures:
    bleu: float
    chrf: float
    met: float
    form: float
    inside: float
    length: float
    short: float
    bare: int
    covered: float

    def __str__(self) -> str:
        return (
            f"BLEU {self.bleu:5.1f}  chrF {self.chrf:5.1f}  met {self.met:5.1f}  form {self.form:5.1f}  "
            f"inside {self.inside:5.1f}  length {self.length:.2f}  short {self.short:4.1f}  "
            f"bare {self.bare:3}  covered {self.covered:.1f}"
        )


def main() -> None:
    options = parse()
    model = options.model or find_model(options.source, options.target)
    translator, results = Translator.load(model), []
    for name, cases in case_sets(options, translator):
        plain = translate(translator, cases, "none", 5)
        lemmas = Lemmas(options.target)
        for beam in options.beams:
            for policy in options.policies:
                found = translate(translator, cases, policy, beam)
                figures = measure(cases, found, plain, lemmas)
                print(f"{name:14}{len(cases):5} {policy:11}{beam:3}  {figures}", flush=True)
                results.append({"set": name, "policy": policy, "beam": beam, **vars(figures)})
                if options.show and policy != "none":
                    show(cases, found, plain, options.show)
    if options.json:
        write_text(options.json, json.dumps(results, indent=2) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", default="de", help="language, where no --model is given")
    parser.add_argument("--target", default="en")
    parser.add_argument("--model", type=Path)
    parser.add_argument(
        "--cases", type=Path, nargs="+", default=[], help="JSON lines of sentences with terms"
    )
    parser.add_argument("--input", type=Path, help="sentences to make unknown terms for")
    parser.add_argument("--reference", type=Path, help="translations of the input, to sample terms from")
    parser.add_argument("--lexicon", type=Path, help="terms to set in place of nouns of the input")
    parser.add_argument("--terms", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--sentences", type=int, default=200, help="of a set")
    parser.add_argument("--policies", nargs="+", default=list(get_args(PolicyName)))
    parser.add_argument("--beams", type=int, nargs="+", default=[5])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print so many translations")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def case_sets(options: argparse.Namespace, translator: Translator) -> list[tuple[str, list[Case]]]:
    sets = [(path.name.split(".")[0], read_cases(path)[: options.sentences]) for path in options.cases]
    if options.reference:
        pairs = read_pairs(options.input, options.reference)
        random.Random(options.seed).shuffle(pairs)
        sampled = Sampler(translator, options, pairs[: 3 * options.sentences])
        sets += [(f"sampled {number}", sampled.cases(number)) for number in options.terms]
    elif options.input:
        generator = random.Random(options.seed)
        lines = [line for line in read_lines(options.input) if 8 <= len(line.split()) <= 30]
        generator.shuffle(lines)
        for number in options.terms:
            lexicon = read_lexicon(options.lexicon) if options.lexicon else None
            cases = unknown_terms(translator, lines[: 4 * options.sentences], number, options.seed, lexicon)
            name = "lexicon" if options.lexicon else "unknown"
            sets.append((f"{name} {number}", cases[: options.sentences]))
    return sets


def translate(
    translator: Translator, cases: Sequence[Case], policy: PolicyName, beam: int
) -> list[Translation]:
    chosen = TranslateOptions(
        beam=beam, constraints=ConstraintOptions(policy=policy), align="post-aln", workers=1
    ).verbatim()
    return translator.translate(
        [case.source for case in cases], chosen, constraints=[case.constraints for case in cases]
    )


class Lemmas:
    def __init__(self, language: str) -> None:
        self._language = language

    def contains(self, text: str, term: str) -> bool:
        """Whether the words of a term stand in a text one after another, in whatever form."""
        words, wanted = self._of(text), self._of(term)
        size = len(wanted)
        return any(words[first : first + size] == wanted for first in range(len(words) - size + 1))

    def _of(self, text: str) -> list[str]:
        return [simplemma.lemmatize(word, lang=self._language).lower() for word in re.findall(r"\w+", text)]


def measure(
    cases: Sequence[Case], found: Sequence[Translation], plain: Sequence[Translation], lemmas: Lemmas
) -> Figures:
    texts, references = [one.text for one in found], [case.reference for case in cases]
    lengths = [
        len(text.split()) / max(1, len(other.text.split())) for text, other in zip(texts, plain, strict=True)
    ]
    terms = [(term, one.text) for one in found for term in one.terms]
    met = [term.met for term, _ in terms]
    form = [
        one or lemmas.contains(text, term.constraint.targets[0])
        for one, (term, text) in zip(met, terms, strict=True)
    ]
    inside = [
        one or term.constraint.targets[0].lower() in text.lower()
        for one, (term, text) in zip(form, terms, strict=True)
    ]
    bare = sum(
        _adjacent(one) > _adjacent_words(case.reference, case.constraints)
        for one, case in zip(found, cases, strict=True)
    )
    total = sum(len(text.split()) for text in texts) / sum(len(one.text.split()) for one in plain)
    return Figures(
        bleu=bleu(texts, references).value,
        chrf=chrf(texts, references).value,
        met=_per_cent(met),
        form=_per_cent(form),
        inside=_per_cent(inside),
        length=total,
        short=100 * sum(length < 0.8 for length in lengths) / len(lengths),
        bare=bare,
        covered=100 * sum(one.covered or 0.0 for one in found) / len(found),
    )


def _per_cent(values: Sequence[bool]) -> float:
    return 100 * sum(values) / max(1, len(values))


def _adjacent(translation: Translation) -> int:
    """How many terms follow one another with nothing but white space between them."""
    spans = sorted(term.target for term in translation.terms if term.met and term.target is not None)
    return sum(
        not translation.text[first[1] : second[0]].strip() and first != second
        for first, second in pairwise(spans)
    )


def _adjacent_words(text: str, constraints: Sequence[Constraint]) -> int:
    spans = sorted(
        (text.find(one.targets[0]), text.find(one.targets[0]) + len(one.targets[0]))
        for one in constraints
        if one.targets[0] in text
    )
    return sum(
        not text[first[1] : second[0]].strip() and first != second for first, second in pairwise(spans)
    )


def show(
    cases: Sequence[Case], found: Sequence[Translation], plain: Sequence[Translation], number: int
) -> None:
    for case, one, other in list(zip(cases, found, plain, strict=True))[:number]:
        terms = ", ".join(
            f"{case.source[slice(*(term.source or (0, 0)))]} → {term.targets[0]}" for term in case.constraints
        )
        print(f"  source     {case.source}\n  terms      {terms}\n  reference  {case.reference}")
        print(f"  plain      {other.text}\n  found      {one.text}\n")


if __name__ == "__main__":
    main()
