"""How a glossary is used in bilingual material: how often each entry is found, and how it is translated."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lexalign.glossary import Entry, Glossary, Matcher
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read, Unit


@dataclass
class EntryUsage:
    """`verdicts` counts the kinds of findings at the entry's places."""

    entry: Entry
    count: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


def count_usage(reads: Iterable[Read], glossary: Glossary, languages: Languages) -> Iterator[EntryUsage]:
    """The usage of every entry, unused ones included, in the order of the glossary.

    It needs no alignment: what is not in the target is a missing term. A term whose target is elsewhere in
    the sentence counts as used.
    """
    matcher = Matcher(glossary, source_language=languages.source, target_language=languages.target)
    rule = TermRule(matcher, TargetTerms(languages.target or glossary.target_language), frozenset())
    usage = {id(entry): EntryUsage(entry) for entry in matcher.glossary}
    for read in reads:
        if isinstance(read, Unit):
            for match, finding in rule.verdicts(AlignedUnit.unlinked(read)):
                for entry in match.entries:
                    one = usage[id(entry)]
                    one.count += 1
                    one.verdicts[finding.kind] += 1
    return iter(usage.values())
