"""Terms that a model needs, told from the memory's own sentences: a glossary need not ask for the others.

What a glossary asks for binds a search, also where the model would have said the same, and where people have
said something else. So the examples of all terms are translated without a glossary, and held against what
people wrote there. At each place of a term

    people and the model use it     nothing would change
    people use it, the model not    the glossary gains
    neither uses it                 the glossary would force a word that does not fit there

and a term is needed if the glossary gains more than twice what it forces: a word that is forced where it does
not fit often costs the words around it too. A term of which no whole example is at hand is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from lexalign.glossary import Entry, Glossary, Matcher
from lexalign.glossary.entries import Place
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.extraction.candidates import TermCandidate
from lexalign.terminology.units import Unit

_COST = 2  # of a place where a word is forced, in places where it is gained
_USED = frozenset({"as-asked", "compound", "other-form"})
Translate = Callable[[Sequence[str]], Iterable[str]]


def needed_entries(
    entries: Sequence[Entry],
    candidates: Sequence[TermCandidate],
    translate: Translate,
    languages: tuple[str | None, str | None],
) -> list[Entry]:
    """The entries that a model needs."""
    matcher = Matcher(Glossary(tuple(entries)), source_language=languages[0], target_language=languages[1])
    rule = TermRule(matcher, TargetTerms(languages[1]), frozenset())
    examples = _examples(entries, candidates)
    gained, forced = Counter[str](), Counter[str]()
    for (text, by_people), by_model in zip(examples.items(), translate(list(examples)), strict=True):
        for term, people, model in zip(*_uses(rule, text, by_people, by_model), strict=True):
            gained[term] += people and not model
            forced[term] += not people and not model
    return [one for one in entries if gained[one.source] > _COST * forced[one.source]]


def _uses(rule: TermRule, source: str, *targets: str) -> Iterator[list[str] | list[bool]]:
    """The terms in a text, and for each target, whether they are used."""
    for number, target in enumerate(targets):
        verdicts = list(rule.verdicts(AlignedUnit.unlinked(Unit(source, target or "-", Place("memory")))))
        if not number:
            yield [match.entry.source for match, _ in verdicts]
        yield [finding.kind in _USED for _, finding in verdicts]


def _examples(entries: Sequence[Entry], candidates: Sequence[TermCandidate]) -> dict[str, str]:
    """The entries' examples, each source once; those that are cut off are left out."""
    wanted = {entry.source for entry in entries}
    return {
        source: target
        for candidate in candidates
        if candidate.source in wanted
        for translation in candidate.translations
        for _, source, target in translation.examples
        if not source.endswith("…") and not target.endswith("…")
    }
