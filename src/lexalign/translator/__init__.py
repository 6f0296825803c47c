"""Translation and alignment of text, and what is needed to ask for it."""

from lexalign.contracts.constraint import Constraint
from lexalign.translator.aligned_sentences import AlignedSentences
from lexalign.translator.aligners import OnlineMethod
from lexalign.translator.options import ConstraintOptions, PolicyName, TranslateOptions
from lexalign.translator.plan import SearchPlan, Sentence
from lexalign.translator.source_text import SourceText, Task
from lexalign.translator.streaming import StreamedToken
from lexalign.translator.translation import ScoredTarget, TermResult, Translation
from lexalign.translator.translator import Translator
from lexalign.translator.word_aligner import WordAligner

__all__ = [
    "AlignedSentences",
    "Constraint",
    "ConstraintOptions",
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
    "WordAligner",
]
