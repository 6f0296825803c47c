"""Glossaries of requests, compiled."""

from collections import OrderedDict
from threading import Lock

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher, MatchOptions
from lexalign.glossary.lint import lint

_MOST_KEPT = 32


def check(glossary: Glossary) -> Glossary:
    """Refuse what asks for and forbids the same."""
    for finding in lint(glossary):
        if finding.kind == "conflict":
            raise LexalignError(f"the glossary contradicts itself: {finding.message}")
    return glossary


class Matchers:
    """Those lately used, by the glossary itself and not its content: comparing long ones takes longer than
    compiling short ones. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, MatchOptions, str, str], tuple[Glossary, Matcher]] = OrderedDict()
        self._lock = Lock()

    def has(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> bool:
        """Whether it need not be compiled first."""
        with self._lock:
            return not len(glossary) or (id(glossary), options, source, target) in self._kept

    def get(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> Matcher:
        key = (id(glossary), options, source, target)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        made = Matcher(glossary, options, source_language=source, target_language=target)
        with self._lock:
            self._kept[key] = glossary, made  # as long as it is kept, no other glossary can have its id
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return made
