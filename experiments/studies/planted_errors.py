"""Planted errors in good translations, and which of them a check finds.

    python -m experiments.studies.planted_errors --source test.en --target test.de --glossary terms.csv \\
        --languages en:de --errors 1000 --seed 1 --aligner post-aln

Each unit gets at most one error; as many of each kind are planted as there are places for, up to a fifth:

    term      a glossary's translation, found as it is, is replaced by another target of the glossary
    form      it is put into another form (German genitive or plural): to be told as such, not as another word
    left-out  it is left out
    number    a digit is changed
    clause    what follows a comma, at least six words and not all, is dropped

A finding of the check counts if it is of a right kind, and for a term if it is at the right term; of the
other two ways any finding of a right kind in the unit counts. Units without an error should have no finding;
what is found there is counted as wrong, though some of it is right: nobody corrected these translations.
Three ways to find them are compared:

    exact     the source has the term as a word, and the target does not have the translation
    lemma     the same with the lemmas of words on both sides
    check     `check_units`, by alignment and lemma

The first two know no alignment, so for them a replaced, left-out or changed term is all the same.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lexalign import __version__
from lexalign.data.reader import ParallelText
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions, read_glossary
from lexalign.glossary.entries import Place
from lexalign.glossary.inflection.forms import inflect
from lexalign.glossary.matching.lemmas import find_lemmas
from lexalign.glossary.matching.words import fold, split
from lexalign.terminology.checking import CheckOptions, check_units
from lexalign.terminology.reading import Languages
from lexalign.terminology.units import Unit

KINDS = ("term", "form", "left-out", "number", "clause")
_FOUND_BY = {
    "term": {"other-word", "missing-term"},
    "form": {"other-form"},
    "left-out": {"missing-term", "other-word"},
    "number": {"number"},
    "clause": {"omission"},
}
_TERM_KINDS = frozenset({"other-word", "missing-term", "other-form"})
_FAULTS = frozenset.union(*map(frozenset, _FOUND_BY.values())) - {"other-form"}  # another form is only noted
_CLAUSE = re.compile(r",\s(?=((?:\S+\s+){5,}\S+?)[.!?]?$)")


@dataclass(frozen=True)
class Case:
    unit: Unit
    kind: str | None = None
    term: str = ""  # in the source


def main() -> None:
    options = _parse()
    languages = Languages(*options.languages.split(":"))
    glossary = read_glossary(
        options.glossary, source_language=languages.source, target_language=languages.target
    )
    text = ParallelText(options.source, options.target)
    units = [Unit(s, t, Place("text", n)) for n, (s, t) in enumerate(text.read(), start=1) if s and t]
    cases = plant(units[: options.limit], glossary, languages, options.errors, random.Random(options.seed))
    planted = Counter(case.kind for case in cases)
    print(
        f"lexalign {__version__}, {len(cases):,} units, {len(glossary):,} terms, seed {options.seed}, "
        f"aligner {options.aligner}, planted {dict(planted)}"
    )
    for name, found in (
        ("exact", _by_words(cases, glossary, languages, lemmas=False)),
        ("lemma", _by_words(cases, glossary, languages, lemmas=True)),
        ("check", _by_check(cases, glossary, languages, options)),
    ):
        _report(name, cases, found)
        if name == "check" and options.show:
            _show(cases, found, options.show)


def plant(
    units: Sequence[Unit], glossary: Glossary, languages: Languages, num_errors: int, chance: random.Random
) -> list[Case]:
    """The units in order, as many as possible of each kind with an error, up to the number."""
    matcher = Matcher(
        glossary,
        MatchOptions(source_forms="exact"),
        source_language=languages.source,
        target_language=languages.target,
    )
    others = [target for entry in glossary for target in entry.targets if entry.policy == "must"]
    cases = [Case(unit) for unit in units]
    left = dict.fromkeys(KINDS, num_errors // len(KINDS))
    for index in chance.sample(range(len(units)), len(units)):
        kinds = [kind for kind in KINDS if left[kind]]
        chance.shuffle(kinds)
        for kind in kinds:
            changed = _change(units[index], kind, matcher, others, languages, chance)
            if changed is not None:
                cases[index] = changed
                left[kind] -= 1
                break
    return cases


def _change(
    unit: Unit,
    kind: str,
    matcher: Matcher,
    others: Sequence[str],
    languages: Languages,
    chance: random.Random,
) -> Case | None:
    if kind == "number":
        digits = [match.start() for match in re.finditer(r"\d", unit.target)]
        if not digits or not re.search(r"\d", unit.source):
            return None
        at = chance.choice(digits)
        digit = str((int(unit.target[at]) + chance.randint(1, 8)) % 10)
        return Case(replace(unit, target=unit.target[:at] + digit + unit.target[at + 1 :]), kind)
    if kind == "clause":
        found = _CLAUSE.search(unit.target)
        if found is None or found.start() < 20:
            return None
        return Case(replace(unit, target=unit.target[: found.start()] + "."), kind)
    return _change_term(unit, kind, matcher, others, languages, chance)


def _change_term(
    unit: Unit,
    kind: str,
    matcher: Matcher,
    others: Sequence[str],
    languages: Languages,
    chance: random.Random,
) -> Case | None:
    for match in matcher.match(unit.source):
        if match.entry.policy != "must" or len(match.entries) > 1:
            continue
        for target in match.entry.targets:
            places = list(re.finditer(rf"(?<!\w){re.escape(target)}(?!\w)", unit.target))
            if len(places) != 1 or unit.source.count(match.text) != 1:
                continue
            if (
                new := _replacement(kind, target, match.entry, others, unit.target, languages, chance)
            ) is None:
                continue
            start, end = places[0].span()
            changed = " ".join((unit.target[:start] + new + unit.target[end:]).split())
            return Case(replace(unit, target=changed), kind, match.text)
    return None


def _replacement(
    kind: str,
    target: str,
    entry: Entry,
    others: Sequence[str],
    text: str,
    languages: Languages,
    chance: random.Random,
) -> str | None:
    if kind == "left-out":
        return ""
    if kind == "term":
        fitting = [
            one
            for one in others
            if one[0].isupper() == target[0].isupper()
            and fold(one) not in fold(text)
            and fold(one)[:4] != fold(target)[:4]
        ]
        return chance.choice(fitting) if fitting else None
    language = languages.target or "de"
    forms = [one for one in inflect([target], language, find_lemmas(language)) if one not in entry.targets]
    return chance.choice(forms) if forms else None


def _by_words(
    cases: Sequence[Case], glossary: Glossary, languages: Languages, *, lemmas: bool
) -> list[set[str]]:
    """For each unit the kinds that a search for words tells; all faults of terms are one."""
    keys = [_word_keys(code if lemmas else None) for code in (languages.source, languages.target)]
    entries = [
        (split(entry.source), [split(target) for target in entry.targets] or [split(entry.source)])
        for entry in glossary
    ]
    by_first: dict[str, list[tuple[list[set[str]], list[list[set[str]]]]]] = {}
    for source, targets in entries:
        mine = [keys[0](word.text) for word in source]
        theirs = [[keys[1](word.text) for word in target] for target in targets]
        by_first.setdefault(fold(source[0].text), []).append((mine, theirs))
    found = []
    for case in cases:
        words = [keys[0](word.text) for word in split(case.unit.source)]
        others = [keys[1](word.text) for word in split(case.unit.target)]
        kinds: set[str] = set()
        for start, word in enumerate(words):
            for key in word:
                for mine, theirs in by_first.get(key, ()):
                    here = words[start : start + len(mine)]
                    if _equal(mine, here) and not any(_contains(others, one) for one in theirs):
                        kinds.add("missing-term")
        source_digits = Counter(re.findall(r"\d+", case.unit.source))
        if source_digits != Counter(re.findall(r"\d+", case.unit.target)):
            kinds.add("number")
        if len(case.unit.target) < 0.6 * len(case.unit.source):
            kinds.add("omission")
        found.append(kinds)
    return found


def _word_keys(language: str | None) -> Callable[[str], set[str]]:
    """The folded word, and its lemmas where a language is given."""
    known = find_lemmas(language) if language else None
    return lambda word: {fold(word), *(known.of(word) if known else ())}


def _equal(one: Sequence[set[str]], other: Sequence[set[str]]) -> bool:
    return len(one) == len(other) and all(a & b for a, b in zip(one, other, strict=True))


def _contains(words: Sequence[set[str]], term: Sequence[set[str]]) -> bool:
    return any(_equal(term, words[start : start + len(term)]) for start in range(len(words)))


def _by_check(
    cases: Sequence[Case], glossary: Glossary, languages: Languages, options: argparse.Namespace
) -> list[set[str]]:
    result = check_units(
        [case.unit for case in cases], glossary, languages, CheckOptions(aligner=options.aligner)
    )
    found: dict[int, set[str]] = {}
    terms = {case.unit.place.line: case.term for case in cases}
    for checked in result.units:
        line = checked.unit.place.line or 0
        for one in checked.findings:
            if one.severity == "none" or (
                one.kind in _TERM_KINDS and terms[line] not in ("", one.source_text)
            ):
                continue
            found.setdefault(line, set()).add(one.kind)
    return [found.get(case.unit.place.line or 0, set()) for case in cases]


def _report(name: str, cases: Sequence[Case], found: Sequence[set[str]]) -> None:
    for kind in KINDS:
        wanted = _FOUND_BY[kind]
        planted = [kinds for case, kinds in zip(cases, found, strict=True) if case.kind == kind]
        clean = [kinds for case, kinds in zip(cases, found, strict=True) if case.kind is None]
        hits = sum(bool(kinds & wanted) for kinds in planted)
        alarms = sum(bool(kinds & wanted) for kinds in clean)
        # As many clean units as planted ones, so that the precision does not depend on how many are planted.
        expected = alarms / max(1, len(clean)) * len(planted)
        precision = 100 * hits / max(1e-9, hits + expected)
        print(
            f"{name:6} {kind:9} recall {100 * hits / max(1, len(planted)):5.1f} ({hits} of {len(planted)}), "
            f"precision {precision:5.1f}, clean units with a finding {alarms} of {len(clean)}"
        )


def _show(cases: Sequence[Case], found: Sequence[set[str]], limit: int) -> None:
    """The first errors that were not found, and clean units with a finding, for reading."""
    shown: Counter[str] = Counter()
    for case, kinds in zip(cases, found, strict=True):
        wrong = kinds & _FAULTS if case.kind is None else set()
        missed = case.kind is not None and not kinds & _FOUND_BY[case.kind]
        name = f"missed {case.kind}" if missed else ", ".join(sorted(wrong))
        shown[name] += 1
        if name and shown[name] <= limit:
            unit = case.unit
            print(f"\n{name} [{case.term}] {unit.place.line}\n  {unit.source}\n  {unit.target}")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--glossary", type=Path, required=True)
    parser.add_argument("--languages", default="en:de")
    parser.add_argument("--errors", type=int, default=1_000)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--aligner", default="post-aln")
    parser.add_argument("--show", type=int, default=0, help="print so many faults of the check of each kind")
    return parser.parse_args()


if __name__ == "__main__":
    main()
