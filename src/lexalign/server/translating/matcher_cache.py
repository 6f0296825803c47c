"""The matchers of requests' glossaries."""

from collections import OrderedDict
from threading import Lock

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher, MatchOptions
from lexalign.glossary.lint import lint

_MAX_CACHED = 32


def check_conflicts(glossary: Glossary) -> Glossary:
    """Refuse a glossary that requires and forbids the same."""
    for finding in lint(glossary):
        if finding.kind == "conflict":
            raise LexalignError(f"the glossary contradicts itself: {finding.message}")
    return glossary


class MatcherCache:
    """The most recently used matchers, safe to use from several threads.

    The key is the identity of the glossary: comparing long ones takes longer than compiling short ones.
    """

    def __init__(self) -> None:
        self._cached: OrderedDict[tuple[int, MatchOptions, str, str], tuple[Glossary, Matcher]] = (
            OrderedDict()
        )
        self._lock = Lock()

    def has(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> bool:
        """Whether the matcher is there, or not needed."""
        with self._lock:
            return not len(glossary) or (id(glossary), options, source, target) in self._cached

    def get(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> Matcher:
        key = (id(glossary), options, source, target)
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
                return self._cached[key][1]
        matcher = Matcher(glossary, options, source_language=source, target_language=target)
        with self._lock:
            self._cached[key] = (
                glossary,
                matcher,
            )  # as long as it is cached, no other glossary can have its id
            while len(self._cached) > _MAX_CACHED:
                self._cached.popitem(last=False)
        return matcher
