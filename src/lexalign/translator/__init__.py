"""Translation of text, and what is needed to ask for it."""

from lexalign.translator.options import TranslateOptions
from lexalign.translator.translation import ScoredTarget, Translation
from lexalign.translator.translator import Translator

__all__ = ["ScoredTarget", "TranslateOptions", "Translation", "Translator"]
