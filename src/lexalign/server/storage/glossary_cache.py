"""Glossaries as they were read, each of a version; those lately used."""

from collections import OrderedDict
from threading import Lock

from lexalign.glossary import Glossary

_MOST_KEPT = 64


class GlossaryCache:
    """Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, Glossary]] = OrderedDict()
        self._lock = Lock()

    def get(self, identifier: str, version: int) -> Glossary | None:
        with self._lock:
            kept_version, glossary = self._kept.get(identifier, (0, None))
            if glossary is None or kept_version != version:
                return None
            self._kept.move_to_end(identifier)
            return glossary

    def put(self, identifier: str, version: int, glossary: Glossary) -> Glossary:
        """The one that is kept from now on; somebody else may have read the same, or a later one."""
        with self._lock:
            kept_version, kept = self._kept.get(identifier, (0, None))
            if kept is not None and kept_version == version:
                return kept
            if kept_version < version:
                self._kept[identifier] = version, glossary
                self._kept.move_to_end(identifier)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
            return glossary

    def drop(self, identifier: str) -> None:
        with self._lock:
            self._kept.pop(identifier, None)
