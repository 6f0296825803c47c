"""Terms that a model uses by itself, told from the memory's own sentences: a glossary need not ask for them.

What a glossary asks for binds a search, which costs a little even where the model would have said the same.
So the examples of all terms are translated without a glossary, and a term that comes out as asked, in any
form or in a compound, in most of its places is left to the model.
"""

from collections.abc import Callable, Iterable, Sequence

from lexalign.glossary import Entry, Glossary, Matcher
from lexalign.glossary.entries import Place
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.extraction.candidates import TermCandidate
from lexalign.terminology.units import Unit

FAMILIAR_SHARE = 0.8  # of its places in which a model uses a term
_USED = frozenset({"as-asked", "compound", "other-form"})
Translate = Callable[[Sequence[str]], Iterable[str]]


def unfamiliar_entries(
    entries: Sequence[Entry],
    candidates: Sequence[TermCandidate],
    translate: Translate,
    languages: tuple[str | None, str | None],
) -> list[Entry]:
    """The entries that a model does not use by itself; those without a whole example stay."""
    matcher = Matcher(Glossary(tuple(entries)), source_language=languages[0], target_language=languages[1])
    rule = TermRule(matcher, TargetTerms(languages[1]), frozenset())
    texts = _examples(entries, candidates)
    used: dict[str, list[bool]] = {}
    for text, translation in zip(texts, translate(texts), strict=True):
        aligned = AlignedUnit.unlinked(Unit(text, translation or "-", Place("memory")))
        for match, finding in rule.verdicts(aligned):
            for entry in match.entries:
                used.setdefault(entry.source, []).append(finding.kind in _USED)
    return [one for one in entries if not _is_familiar(used.get(one.source, []))]


def _is_familiar(used: Sequence[bool]) -> bool:
    return bool(used) and sum(used) >= FAMILIAR_SHARE * len(used)


def _examples(entries: Sequence[Entry], candidates: Sequence[TermCandidate]) -> list[str]:
    """The source texts of the entries' examples, each once; those that are cut off are left out."""
    wanted = {entry.source for entry in entries}
    found = (
        source
        for candidate in candidates
        if candidate.source in wanted
        for translation in candidate.translations
        for _, source, _ in translation.examples
        if not source.endswith("…")
    )
    return list(dict.fromkeys(found))
