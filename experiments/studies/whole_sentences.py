"""Terms in whole sentences: is every term met, and is the sentence still there?

    python -m experiments.studies.whole_sentences --source en --target de --interface ui-terms.jsonl
    python -m experiments.studies.whole_sentences --source de --target en --input held-out.de --terms 1 2 4 8
    ... --input held-out.de --terms 2 4 7 --lexicon experiments/studies/medical_terms.tsv

Sets of sentences with terms:

interface    JSON lines with a text, a reference, and constraints with places in the text
unknown n    sentences of the input, of whose plain translation up to n words, each of which surely comes from
             one noun of the source, are exchanged for words of other sentences; the reference is the plain
             translation with these words exchanged
lexicon n    the same with terms of a list (`--lexicon`, source and target with a tab between them) in place
             of the nouns of the source and of the words of the translation

Asked of every policy at every beam:

BLEU, chrF   against the reference
met          terms that are in the translation, in per cent
length       words over those of the plain translation
short        sentences under 0.8 of that, in per cent
bare         sentences in which two terms stand side by side, and not in the reference
covered      source words that a word of the translation is linked to, in per cent
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

from experiments.studies.foreign_words import places_of
from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.metrics.quality import bleu, chrf
from lexalign.storage import write_text
from lexalign.text.words import words_of
from lexalign.translator import ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.options import PolicyName


@dataclass(frozen=True, kw_only=True)
class Case:
    source: str
    reference: str
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, kw_only=True)
class Figures:
    bleu: float
    chrf: float
    met: float
    length: float
    short: float
    bare: int
    covered: float

    def __str__(self) -> str:
        return (
            f"BLEU {self.bleu:5.1f}  chrF {self.chrf:5.1f}  met {self.met:5.1f}  length {self.length:.2f}  "
            f"short {self.short:4.1f}  bare {self.bare:3}  covered {self.covered:.1f}"
        )


def main() -> None:
    options = parse()
    model = options.model or find_model(options.source, options.target)
    translator, results = Translator.load(model), []
    for name, cases in case_sets(options, translator):
        plain = translate(translator, cases, "none", 5)
        for beam in options.beams:
            for policy in options.policies:
                found = translate(translator, cases, policy, beam)
                figures = measure(cases, found, plain)
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
    parser.add_argument("--interface", type=Path, help="JSON lines of sentences with terms")
    parser.add_argument("--input", type=Path, help="sentences to make unknown terms for")
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
    sets = []
    if options.interface:
        sets.append(("interface", read_interface(options.interface)[: options.sentences]))
    if options.input:
        generator = random.Random(options.seed)
        lines = [line for line in read_lines(options.input) if 8 <= len(line.split()) <= 30]
        generator.shuffle(lines)
        for number in options.terms:
            lexicon = read_lexicon(options.lexicon) if options.lexicon else None
            cases = unknown_terms(translator, lines[: 4 * options.sentences], number, options.seed, lexicon)
            name = "lexicon" if options.lexicon else "unknown"
            sets.append((f"{name} {number}", cases[: options.sentences]))
    return sets


def read_interface(path: Path) -> list[Case]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Case(
            source=row["text"],
            reference=row["reference"],
            constraints=tuple(
                Constraint(targets=(one["target"],), source=tuple(one["source"]))
                for one in row["constraints"]
            ),
        )
        for row in rows
    ]


def read_lexicon(path: Path) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in read_lines(path)]
    return [(source, target) for source, target in rows]


def unknown_terms(
    translator: Translator,
    lines: list[str],
    number: int,
    seed: int,
    lexicon: Sequence[tuple[str, str]] | None = None,
) -> list[Case]:
    """Sentences with as many exchanged words as there are, but at least half of `number`."""
    generator = random.Random(seed)
    plain = translator.translate(lines, TranslateOptions(align="post-aln").verbatim())
    found = []
    for line, translation in zip(lines, plain, strict=True):
        places = dict(places_of(line, translation))
        places = {noun: word for noun, word in places.items() if list(places.values()).count(word) == 1}
        if len(places) * 2 >= number:
            chosen = sorted(generator.sample(sorted(places), min(number, len(places))))
            found.append((line, translation.text, [(noun, places[noun]) for noun in chosen]))
    if lexicon is not None:
        return [_insert(line, text, chosen, lexicon, generator) for line, text, chosen in found]
    words = [text[slice(*word)] for _, text, chosen in found for _, word in chosen]
    return [_exchange(line, text, chosen, words, generator) for line, text, chosen in found]


def _exchange(
    line: str,
    text: str,
    chosen: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    words: Sequence[str],
    generator: random.Random,
) -> Case:
    constraints: list[Constraint] = []
    reference = text
    for noun, word in sorted(chosen, key=lambda pair: -pair[1][0]):
        taken = [*(one.targets[0] for one in constraints), reference]
        foreign = generator.choice([other for other in words if not any(other in one for one in taken)])
        constraints.append(Constraint(targets=(foreign,), source=noun))
        reference = reference[: word[0]] + foreign + reference[word[1] :]
    constraints.sort(key=lambda one: one.source or (0, 0))
    return Case(source=line, reference=reference, constraints=tuple(constraints))


def _insert(
    line: str,
    text: str,
    chosen: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    lexicon: Sequence[tuple[str, str]],
    generator: random.Random,
) -> Case:
    terms = generator.sample(list(lexicon), len(chosen))
    pairs = list(zip(chosen, terms, strict=True))
    reference, source = text, ""
    constraints: list[Constraint] = []
    for (_, word), (_, target) in sorted(pairs, key=lambda pair: -pair[0][1][0]):
        reference = reference[: word[0]] + target + reference[word[1] :]
    position = 0
    for (noun, _), (term, target) in sorted(pairs, key=lambda pair: pair[0][0][0]):
        source += line[position : noun[0]]
        constraints.append(Constraint(targets=(target,), source=(len(source), len(source) + len(term))))
        source, position = source + term, noun[1]
    return Case(source=source + line[position:], reference=reference, constraints=tuple(constraints))


def translate(
    translator: Translator, cases: Sequence[Case], policy: PolicyName, beam: int
) -> list[Translation]:
    chosen = TranslateOptions(
        beam=beam, constraints=ConstraintOptions(policy=policy), align="post-aln"
    ).verbatim()
    return translator.translate(
        [case.source for case in cases], chosen, constraints=[case.constraints for case in cases]
    )


def measure(cases: Sequence[Case], found: Sequence[Translation], plain: Sequence[Translation]) -> Figures:
    texts, references = [one.text for one in found], [case.reference for case in cases]
    lengths = [
        len(text.split()) / max(1, len(other.text.split())) for text, other in zip(texts, plain, strict=True)
    ]
    terms = [term for one in found for term in one.terms]
    bare = sum(
        _adjacent(one) > _adjacent_words(case.reference, case.constraints)
        for one, case in zip(found, cases, strict=True)
    )
    shares = [_covered(one) for one in found]
    total = sum(len(text.split()) for text in texts) / sum(len(one.text.split()) for one in plain)
    return Figures(
        bleu=bleu(texts, references).value,
        chrf=chrf(texts, references).value,
        met=100 * sum(term.met for term in terms) / max(1, len(terms)),
        length=total,
        short=100 * sum(length < 0.8 for length in lengths) / len(lengths),
        bare=bare,
        covered=100 * sum(shares) / len(shares),
    )


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


def _covered(translation: Translation) -> float:
    """The share of source words that something is linked to."""
    spans = words_of(translation.source)[1]
    linked = [link.source for link in translation.links]
    covered = [any(a < end and start < b for a, b in linked) for start, end in spans]
    return sum(covered) / max(1, len(covered))


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
