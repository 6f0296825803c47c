"""Translation memories: earlier translations, taken where they fit and offered where they are near."""

from lexalign.memory.files import read_memory
from lexalign.memory.fitting import fit_unit
from lexalign.memory.matching import MatchOptions, MemoryMatch, find_matches
from lexalign.memory.tmx_writing import write_memory
from lexalign.memory.units import MemoryUnit

__all__ = [
    "MatchOptions",
    "MemoryMatch",
    "MemoryUnit",
    "find_matches",
    "fit_unit",
    "read_memory",
    "write_memory",
]
