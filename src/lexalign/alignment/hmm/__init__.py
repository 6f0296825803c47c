"""A word aligner that learns from a parallel text alone: an HMM in both directions, by agreement."""

from lexalign.alignment.hmm.linking import FoundLinks, align_by_agreement
from lexalign.alignment.hmm.options import HmmOptions

__all__ = ["FoundLinks", "HmmOptions", "align_by_agreement"]
