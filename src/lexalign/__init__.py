"""Translation that knows where every word came from, and puts a user's terms where they belong.

    >>> import lexalign
    >>> lexalign.translate("Das Haus ist groß.", glossary={"Haus": "building"}).text
    'The building is big.'

The names below load what they need when they are first used, so that this import takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_PLACES = {
    "Alignment": "api.alignment",
    "Chunk": "api.chunks",
    "Entry": "glossary.entries",
    "Glossary": "api.glossary",
    "GlossaryError": "contracts.errors",
    "LanguageError": "contracts.errors",
    "LexalignError": "contracts.errors",
    "MissingExtraError": "contracts.errors",
    "ModelNotFoundError": "contracts.errors",
    "OptionError": "contracts.errors",
    "Term": "api.translation",
    "TranslateKeywords": "api.options",
    "Translation": "api.translation",
    "Translator": "api.translator",
    "WordLink": "api.translation",
    "align": "api.functions",
    "download": "api.loading",
    "list_models": "api.loading",
    "load": "api.loading",
    "stream": "api.functions",
    "translate": "api.functions",
}
__all__ = [
    "Alignment",
    "Chunk",
    "Entry",
    "Glossary",
    "GlossaryError",
    "LanguageError",
    "LexalignError",
    "MissingExtraError",
    "ModelNotFoundError",
    "OptionError",
    "Term",
    "TranslateKeywords",
    "Translation",
    "Translator",
    "WordLink",
    "__version__",
    "align",
    "download",
    "list_models",
    "load",
    "stream",
    "translate",
]

if TYPE_CHECKING:  # the same for those who read types
    from lexalign.api.alignment import Alignment
    from lexalign.api.chunks import Chunk
    from lexalign.api.functions import align, stream, translate
    from lexalign.api.glossary import Glossary
    from lexalign.api.loading import download, list_models, load
    from lexalign.api.options import TranslateKeywords
    from lexalign.api.translation import Term, Translation, WordLink
    from lexalign.api.translator import Translator
    from lexalign.contracts.errors import (
        GlossaryError,
        LanguageError,
        LexalignError,
        MissingExtraError,
        ModelNotFoundError,
        OptionError,
    )
    from lexalign.glossary.entries import Entry


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'lexalign' has no attribute {name!r}")
    found: object = getattr(import_module(f"lexalign.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
