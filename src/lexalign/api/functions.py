"""Functions that find the model themselves, for a script of one line."""

from collections.abc import Callable, Iterator
from typing import Unpack, overload

from lexalign.api.alignment import Alignment, Words, read_words
from lexalign.api.chunks import Chunk
from lexalign.api.glossary import GlossaryLike
from lexalign.api.loading import load_once
from lexalign.api.options import TranslateKeywords
from lexalign.api.translation import Translation
from lexalign.api.translator import Translator
from lexalign.api.wording import in_python
from lexalign.bundled import BundledModels
from lexalign.contracts.errors import LanguageError, ModelNotFoundError


@overload
def translate(
    text: str,
    *,
    source: str | None = None,
    target: str | None = None,
    glossary: GlossaryLike | None = None,
    **options: Unpack[TranslateKeywords],
) -> Translation: ...
@overload
def translate(
    text: list[str] | tuple[str, ...],
    *,
    source: str | None = None,
    target: str | None = None,
    glossary: GlossaryLike | None = None,
    **options: Unpack[TranslateKeywords],
) -> list[Translation]: ...
def translate(
    text: str | list[str] | tuple[str, ...],
    *,
    source: str | None = None,
    target: str | None = None,
    glossary: GlossaryLike | None = None,
    **options: Unpack[TranslateKeywords],
) -> Translation | list[Translation]:
    """Translate a text, or each text of a list, with an installed model.

    The model is loaded once and kept. The language of the text is detected, unless `source` is given; it is
    the same for all texts of a list. For everything else see `Translator.translate`.

    Examples:
        >>> import lexalign
        >>> lexalign.translate("Wo ist der nächste Bahnhof?").text
        'Where is the nearest station?'
        >>> terms = {"Bahnhof": "railway terminal"}
        >>> found = lexalign.translate("Wo ist der Bahnhof?", glossary=terms)
        >>> found
        Translation('Where is the railway terminal?', terms: 1/1 met)
        >>> found.terms
        (Term('Bahnhof', 'railway terminal', 'met'),)
    """
    translator = _find(source, target, lambda: text if isinstance(text, str) else "\n".join(map(str, text)))
    return translator.translate(text, glossary=glossary, **options)


def stream(
    text: str,
    *,
    source: str | None = None,
    target: str | None = None,
    glossary: GlossaryLike | None = None,
    **options: Unpack[TranslateKeywords],
) -> Iterator[Chunk]:
    """Translate a text and yield its words as they are decided; see `Translator.stream`.

    Examples:
        >>> import lexalign
        >>> "".join(chunk.text for chunk in lexalign.stream("Guten Tag!"))
        'Good day!'
    """
    return _find(source, target, lambda: text).stream(text, glossary=glossary, **options)


def align(
    source: Words, target: Words, *, languages: tuple[str, str] | None = None, both_directions: bool = True
) -> Alignment:
    """Align the words of a text with those of its translation, with installed models.

    Args:
        source: A text, or its words.
        target: Its translation, or its words.
        languages: Of source and target; detected by default.
        both_directions: Also use the model of the other direction, if it is installed. This takes twice as
            long, and aligns better.

    Examples:
        >>> import lexalign
        >>> lexalign.align("Das Haus ist groß.", "The house is big.").pharaoh
        '0-0 1-1 2-2 3-3'
    """
    text = read_words(source).line
    read_words(target)
    spoken = languages or (None, None)
    try:
        forward = _find(spoken[0], spoken[1], lambda: text)
    except LanguageError as error:
        said = str(error).replace("source=LANGUAGE", "languages=(SOURCE, TARGET)")
        raise LanguageError(said) from None
    return forward.align(source, target, reverse=_reverse(forward) if both_directions else None)


def _find(source: str | None, target: str | None, read_text: Callable[[], str]) -> Translator:
    with in_python():
        direction = BundledModels.installed().choose(source, target, read_text)
    return load_once(*direction)


def _reverse(translator: Translator) -> Translator | None:
    if translator.languages is None:
        return None
    source, target = translator.languages
    try:
        return load_once(target, source)
    except ModelNotFoundError:
        return None
