"""Terms whose reference has another form than the glossary: does a translation have the right form?

    python -m experiments.studies.term_forms --source en --target de --text valid.en valid.de
    python -m experiments.studies.term_forms --source en --target de --interface ui-terms.jsonl

Sets of sentences with terms, each a word of the source and what it is in the reference:

inflected    the reference has the term in another form than its lemma, which is what the glossary lists
lemma        the reference has the lemma itself
part, head   German references alone: the reference has a compound of two nouns for two words of the source,
             and the term is the first of them, or the second
interface    JSON lines with a text, a reference, and constraints with places in the text

Words are linked by the bundled PostAln, and lemmas are simplemma's. Asked of every system:

BLEU, chrF   against the reference
same         terms in the form, or in the compound, that the reference has, in per cent
met          terms that are met, in per cent
"""

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.studies.term_cases import read_cases
from lexalign import __version__
from lexalign.bundled import find_model
from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions
from lexalign.glossary.inflection.compounds import compound_parts
from lexalign.glossary.inflection.forms import is_source_verb
from lexalign.glossary.matching.lemmas import find_lemmas
from lexalign.glossary.matching.matcher import TargetForms
from lexalign.metrics.quality import bleu, chrf
from lexalign.storage import write_text
from lexalign.translator import ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.options import PolicyName
from lexalign.translator.word_aligner import AlignedPair, WordAligner, read_words

_WORD = re.compile(r"[^\W\d_]{4,}")
_LINKING = ("", "s", "es", "n", "en")  # between the parts of a compound


@dataclass(frozen=True, kw_only=True)
class Term:
    source: Span
    entry: Entry
    expected: str  # as in the reference

    @property
    def listed(self) -> str:
        return self.entry.targets[0]


@dataclass(frozen=True, kw_only=True)
class Case:
    source: str
    reference: str
    terms: tuple[Term, ...]


def main() -> None:
    options = parse()
    model = options.model or find_model(options.source, options.target)
    translator, results = Translator.load(model), []
    for name, cases in case_sets(options, model).items():
        for system in options.systems:
            found = translate(translator, cases, system, options)
            figures = measure(cases, found)
            row = "  ".join(f"{key} {value:5.1f}" for key, value in figures.items())
            print(f"{name:10}{len(cases):5} {system:10} {row}", flush=True)
            results.append({"set": name, "system": system, "sentences": len(cases), **figures})
            if options.show and system != "none":
                show(cases, found, options.show)
    print(
        signature := f"policy:{options.policy}|beam:{options.beam}|seed:{options.seed}|version:{__version__}"
    )
    if options.json:
        write_text(options.json, json.dumps({"signature": signature, "rows": results}, indent=2) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--text", type=Path, nargs=2, help="sentences, and their references")
    parser.add_argument("--interface", type=Path, help="JSON lines of sentences with terms")
    parser.add_argument("--sets", nargs="+", default=["inflected", "lemma", "part", "head"])
    parser.add_argument("--sentences", type=int, default=200, help="of a set")
    parser.add_argument("--terms", type=int, default=2, help="at most, of a sentence")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--policy", default="guided")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print so many translations")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def case_sets(options: argparse.Namespace, model: Path) -> dict[str, list[Case]]:
    sets: dict[str, list[Case]] = {}
    if options.interface:
        sets["interface"] = [
            Case(
                source=case.source,
                reference=case.reference,
                terms=tuple(
                    Term(
                        source=one.source,
                        entry=Entry(source=case.source[slice(*one.source)].strip(), targets=one.targets),
                        expected=one.targets[0],
                    )
                    for one in case.constraints
                    if one.source is not None
                ),
            )
            for case in read_cases(options.interface)[: options.sentences]
        ]
    if options.text:
        pairs = list(zip(*(list(read_lines(path)) for path in options.text), strict=True))
        pairs = [pair for pair in pairs if all(5 <= len(line.split()) <= 35 for line in pair)]
        random.Random(options.seed).shuffle(pairs)
        aligned = list(WordAligner.load(model).align([(read_words(a), read_words(b)) for a, b in pairs]))
        names = [name for name in options.sets if options.target == "de" or name in ("inflected", "lemma")]
        for name in names:
            sets[name] = find_cases(aligned, name, options)[: options.sentences]
    return sets


def find_cases(aligned: Sequence[AlignedPair], name: str, options: argparse.Namespace) -> list[Case]:
    finder = compound_terms if name in ("part", "head") else word_terms
    cases: list[Case] = []
    for pair in aligned:
        terms = list(finder(pair, name, options.source, options.target))
        if terms:
            chosen = random.Random(len(cases)).sample(terms, min(options.terms, len(terms)))
            cases.append(Case(source=pair.source.line, reference=pair.target.line, terms=tuple(chosen)))
    return cases


def word_terms(pair: AlignedPair, name: str, source_language: str, language: str) -> Iterator[Term]:
    """Nouns and verbs of the reference that are linked to one word of the source, and to them alone."""
    links = pair.words.links
    for link in links:
        if sum(one.target == link.target or one.source == link.source for one in links) != 1:
            continue
        word, origin = _bare(pair.target.words[link.target]), _bare(pair.source.words[link.source])
        if word is None or origin is None or link.target == 0:
            continue
        found = term_of(origin[0], word[0], source_language, language)
        if found is not None and (found.listed != found.expected) == (name == "inflected"):
            yield replace(found, source=_place(pair, link.source, origin[1]))


def term_of(origin: str, word: str, source_language: str, language: str) -> Term | None:
    """A word as an entry of a glossary would have it; None if it is neither a noun nor a verb."""
    from simplemma import is_known, lemmatize

    lemma, small = lemmatize(word, lang=language), origin.lower()
    listed = lemmatize(small, lang=source_language)
    if listed == small or source_language == "de":
        listed = lemmatize(origin, lang=source_language)
    if not is_known(word, lang=language) or len(lemma) < 4:
        return None
    verb = is_source_verb(listed, source_language, find_lemmas(source_language))
    if language == "de":
        is_noun = word[0].isupper() and lemma[0].isupper()
    else:
        is_noun = origin[0].isupper() and not verb and not word.endswith(("ing", "ed"))
        verb = verb and word not in (lemma + "er", lemma + "est")
        is_noun, verb = is_noun and word.islower(), verb and word.islower()
    if not (is_noun or (verb and language == "en")):
        return None
    return Term(source=(0, 0), entry=Entry(source=listed, targets=(lemma,)), expected=word)


def _place(pair: AlignedPair, index: int, span: Span) -> Span:
    """Where a part of a source word stands in the line."""
    start = pair.source.line_spans[index][0]
    return start + span[0], start + span[1]


def compound_terms(pair: AlignedPair, name: str, _: str, __: str) -> Iterator[Term]:
    """German compounds of two nouns that are linked to two words of the source, one after the other."""
    for index, written in enumerate(pair.target.words):
        word = _bare(written)
        origins = sorted(link.source for link in pair.words.links if link.target == index)
        if word is None or len(origins) != 2 or origins[1] != origins[0] + 1:
            continue
        parts = split_compound(word[0])
        if parts is None or any(pair.source.words[one][-1] in ",.;:" for one in origins[:1]):
            continue
        origin = origins[0] if name == "part" else origins[1]
        bare = _bare(pair.source.words[origin])
        if bare is not None:
            listed = parts[0] if name == "part" else parts[1]
            entry = Entry(source=bare[0].lower(), targets=(listed,))
            yield Term(source=_place(pair, origin, bare[1]), entry=entry, expected=word[0])


def split_compound(word: str) -> tuple[str, str] | None:
    """The two nouns of a compound, as simplemma knows them; the second as its lemma."""
    from simplemma import is_known, lemmatize

    if not word[0].isupper() or len(word) < 9:
        return None
    for end in range(len(word) - 4, 3, -1):
        head = word[end:].capitalize()
        if not is_known(head, lang="de") or not lemmatize(head, lang="de")[0].isupper():
            continue
        for link in _LINKING:
            first = word[:end].removesuffix(link) if link else word[:end]
            if len(first) > 3 and is_known(first, lang="de") and lemmatize(first, lang="de") == first:
                return first, lemmatize(head, lang="de")
    return None


def _bare(word: str) -> tuple[str, Span] | None:
    """A word without the marks around it, and where it stands; None for numbers and their like."""
    found = _WORD.search(word)
    if found is None or any(letter.isalnum() for letter in word[: found.start()] + word[found.end() :]):
        return None
    return found[0], found.span()


SYSTEMS = ("none", "listed", "forms", "heads", "compounds", "expected")


def translate(
    translator: Translator, cases: Sequence[Case], system: str, options: argparse.Namespace
) -> list[Translation]:
    forms: TargetForms = "listed" if system in ("none", "listed") else "all"
    matcher = Matcher(
        Glossary(),
        MatchOptions(target_forms=forms),
        source_language=options.source,
        target_language=options.target,
    )
    asked = [[_constraint(case, term, system, matcher) for term in case.terms] for case in cases]
    policy: PolicyName = "none" if system == "none" else options.policy
    chosen = TranslateOptions(beam=options.beam, constraints=ConstraintOptions(policy=policy)).verbatim()
    return translator.translate([case.source for case in cases], chosen, constraints=asked)


def _constraint(case: Case, term: Term, system: str, matcher: Matcher) -> Constraint:
    if system == "expected":
        return Constraint(targets=(term.expected,), source=term.source)
    found = case.source[slice(*term.source)]
    inflected = found.lower() != term.entry.source.lower()
    targets = matcher.target_forms(term.entry, found, inflected=inflected)
    parts = compound_parts(targets, matcher.target_language or "") if system in ("heads", "compounds") else ()
    if system == "heads":
        parts = tuple(part for part in parts if part.startswith("-"))
    return Constraint(targets=targets, source=term.source, parts=parts)


def measure(cases: Sequence[Case], found: Sequence[Translation]) -> dict[str, float]:
    texts, references = [one.text for one in found], [case.reference for case in cases]
    pairs = [(term, one.text) for case, one in zip(cases, found, strict=True) for term in case.terms]
    met = [term.met for one in found for term in one.terms]
    same = [re.search(rf"\b{re.escape(term.expected)}\b", text) is not None for term, text in pairs]
    return {
        "BLEU": round(bleu(texts, references).value, 1),
        "chrF": round(chrf(texts, references).value, 1),
        "same": round(100 * sum(same) / max(1, len(same)), 1),
        "met": round(100 * sum(met) / max(1, len(met)), 1),
    }


def show(cases: Sequence[Case], found: Sequence[Translation], number: int) -> None:
    for case, one in list(zip(cases, found, strict=True))[:number]:
        terms = ", ".join(
            f"{case.source[slice(*term.source)]} → {term.listed} ({term.expected})" for term in case.terms
        )
        forms = ", ".join(
            term.part_of or (one.text[slice(*term.target)] if term.target else "-") for term in one.terms
        )
        print(f"  source     {case.source}\n  terms      {terms}\n  forms      {forms}")
        print(f"  reference  {case.reference}\n  found      {one.text}\n")


if __name__ == "__main__":
    main()
