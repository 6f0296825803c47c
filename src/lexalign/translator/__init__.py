"""Translation and alignment of text, and what is needed to ask for it."""

from lexalign.translator.options import TranslateOptions
from lexalign.translator.streaming import StreamedToken
from lexalign.translator.translation import ScoredTarget, Translation
from lexalign.translator.translator import Translator
from lexalign.translator.word_aligner import WordAligner

__all__ = ["ScoredTarget", "StreamedToken", "TranslateOptions", "Translation", "Translator", "WordAligner"]
