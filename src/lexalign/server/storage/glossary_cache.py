"""A cache of the most recently used glossaries, each with its version, bounded in terms.

50,000 terms and their matcher take some 110 MiB (`translating/matcher_cache.py`).
"""

from collections import OrderedDict
from threading import Lock

from lexalign.glossary import Glossary

_MAX_TERMS = 200_000


class GlossaryCache:
    """A cache that several threads may use."""

    def __init__(self, max_terms: int = _MAX_TERMS) -> None:
        self._max_terms = max_terms
        self._cached: OrderedDict[str, tuple[int, Glossary]] = OrderedDict()
        self._lock = Lock()

    def get(self, identifier: str, version: int) -> Glossary | None:
        with self._lock:
            cached_version, glossary = self._cached.get(identifier, (0, None))
            if glossary is None or cached_version != version:
                return None
            self._cached.move_to_end(identifier)
            return glossary

    def put(self, identifier: str, version: int, glossary: Glossary) -> Glossary:
        """The glossary to use: another thread may have cached the same version already."""
        with self._lock:
            cached_version, cached = self._cached.get(identifier, (0, None))
            if cached is not None and cached_version == version:
                return cached
            if cached_version < version:
                self._cached[identifier] = version, glossary
                self._cached.move_to_end(identifier)
            self._evict()
            return glossary

    def drop(self, identifier: str) -> None:
        with self._lock:
            self._cached.pop(identifier, None)

    def _evict(self) -> None:
        """The one that is used now stays, however long it is."""
        terms = sum(1 + len(glossary) for _, glossary in self._cached.values())
        while terms > self._max_terms and len(self._cached) > 1:
            _, (_, dropped) = self._cached.popitem(last=False)
            terms -= 1 + len(dropped)
