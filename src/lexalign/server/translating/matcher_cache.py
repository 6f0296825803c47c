"""The matchers of requests' glossaries, bounded in terms.

A matcher is kept for no longer than its glossary: one that is deleted, changed, dropped from the cache of
glossaries, or was sent with a request that is done takes its matchers with it.
"""

import weakref
from collections import OrderedDict, deque
from threading import Lock

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher, MatchOptions
from lexalign.glossary.lint import lint

_MAX_TERMS = 200_000
_Key = tuple[int, MatchOptions, str, str]


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

    def __init__(self, max_terms: int = _MAX_TERMS) -> None:
        self._max_terms = max_terms
        self._cached: OrderedDict[_Key, Matcher] = OrderedDict()
        self._alive: dict[int, weakref.ref[Glossary]] = {}
        self._compiling: dict[_Key, Lock] = {}  # one thread compiles a matcher, and the others wait for it
        self._gone: deque[int] = deque()  # identities of glossaries, which others may have by now
        self._lock = Lock()

    @property
    def num_terms(self) -> int:
        with self._lock:
            return self._count()

    def has(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> bool:
        """Whether the matcher is there, or not needed."""
        with self._lock:
            self._sweep()
            return not len(glossary) or (id(glossary), options, source, target) in self._cached

    def get(self, glossary: Glossary, options: MatchOptions, source: str, target: str) -> Matcher:
        key = (id(glossary), options, source, target)
        if matcher := self._find(key):
            return matcher
        with self._lock:
            compiling = self._compiling.setdefault(key, Lock())
        try:
            with compiling:
                return self._find(key) or self._compile(key, glossary)
        finally:
            with self._lock:
                self._compiling.pop(key, None)

    def _find(self, key: _Key) -> Matcher | None:
        with self._lock:
            self._sweep()
            if key in self._cached:
                self._cached.move_to_end(key)
            return self._cached.get(key)

    def _compile(self, key: _Key, glossary: Glossary) -> Matcher:
        _, options, source, target = key
        matcher = Matcher(glossary, options, source_language=source, target_language=target)
        with self._lock:
            self._sweep()
            if key[0] not in self._alive:
                self._alive[key[0]] = weakref.ref(glossary, lambda _: self._forget(key[0]))
            self._cached[key] = matcher
            self._evict()
        return matcher

    def _forget(self, identity: int) -> None:
        """Called at any moment, even where this very thread holds the lock: then the next call sweeps."""
        self._gone.append(identity)
        if self._lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                self._lock.release()

    def _sweep(self) -> None:
        while self._gone:
            identity = self._gone.popleft()
            self._alive.pop(identity, None)
            for key in [key for key in self._cached if key[0] == identity]:
                del self._cached[key]

    def _evict(self) -> None:
        """The one that is used now stays, however long it is."""
        terms = self._count()
        while terms > self._max_terms and len(self._cached) > 1:
            _, dropped = self._cached.popitem(last=False)
            terms -= 1 + len(dropped.glossary)

    def _count(self) -> int:
        return sum(1 + len(matcher.glossary) for matcher in self._cached.values())
