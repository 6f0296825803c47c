"""HMM word alignment, trained on parallel text in both directions by agreement."""

from lexalign.alignment.statistical.hmm.linking import CorpusLinks, align_by_agreement
from lexalign.alignment.statistical.hmm.options import HmmOptions

__all__ = ["CorpusLinks", "HmmOptions", "align_by_agreement"]
