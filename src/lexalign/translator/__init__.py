"""Translation and alignment of text, and what is needed to ask for it."""

from lexalign.contracts.constraint import Constraint
from lexalign.translator.aligned_sentences import AlignedSentences
from lexalign.translator.mutual_links import MutualAligner
from lexalign.translator.options import (
    AlignerName,
    ConstraintOptions,
    OnlineMethod,
    PolicyName,
    SearchPlan,
    TranslateOptions,
)
from lexalign.translator.source_text import Sentence, SourceText, Task
from lexalign.translator.translation import (
    ScoredTarget,
    StreamedToken,
    TermResult,
    Translation,
    UncoveredWord,
)
from lexalign.translator.translator import Translator
from lexalign.translator.word_aligner import WordAligner

__all__ = [
    "AlignedSentences",
    "AlignerName",
    "Constraint",
    "ConstraintOptions",
    "MutualAligner",
    "OnlineMethod",
    "PolicyName",
    "ScoredTarget",
    "SearchPlan",
    "Sentence",
    "SourceText",
    "StreamedToken",
    "Task",
    "TermResult",
    "TranslateOptions",
    "Translation",
    "Translator",
    "UncoveredWord",
    "WordAligner",
]
