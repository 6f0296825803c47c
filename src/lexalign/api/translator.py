"""The translator that `lexalign.load` gives."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar, Unpack, get_args, overload

from lexalign import translator as engine
from lexalign.api.alignment import Alignment, Words, align_pairs
from lexalign.api.chunks import Chunk, read_chunks
from lexalign.api.glossary import GlossaryLike, as_glossary
from lexalign.api.options import TranslateKeywords, as_options
from lexalign.api.translation import Translation
from lexalign.api.wording import in_python
from lexalign.contracts.errors import OptionError
from lexalign.models.projection import Precision
from lexalign.text.subwords import Languages
from lexalign.translator import WordAligner

_Found = TypeVar("_Found")
_WINDOW = 500  # pairs aligned together


class Translator:
    """A model that is ready to translate; see `lexalign.load`.

    It may be shared by threads, which take turns, and be pickled for other processes, which load it again.
    """

    def __init__(
        self, folder: Path, languages: Languages | None, device: str, precision: Precision | None
    ) -> None:
        """Called by `lexalign.load`."""
        if precision is not None and precision not in get_args(Precision):
            raise OptionError(
                f"unknown precision {precision!r}; choose from {', '.join(get_args(Precision))}"
            )
        self._place = folder, languages, device, precision
        with in_python():
            self.engine = engine.Translator.load(
                folder, device=device, precision=precision, languages=languages
            )
        self._lock = threading.RLock()

    @property
    def folder(self) -> Path:
        """The model's folder."""
        return self._place[0]

    @property
    def languages(self) -> Languages | None:
        """Source and target, as ("de", "en"); None where they are not known."""
        return self.engine.languages

    def between(self, source: str, target: str) -> "Translator":
        """The same multilingual model, and the same memory, for other languages."""
        folder, _, device, precision = self._place
        found = Translator.__new__(Translator)
        found._place, found._lock = (folder, (source, target), device, precision), self._lock
        with in_python():
            found.engine = self.engine.between(source, target)
        return found

    @overload
    def translate(
        self, text: str, *, glossary: GlossaryLike | None = None, **options: Unpack[TranslateKeywords]
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: list[str] | tuple[str, ...],
        *,
        glossary: GlossaryLike | None = None,
        **options: Unpack[TranslateKeywords],
    ) -> list[Translation]: ...
    def translate(
        self,
        text: str | list[str] | tuple[str, ...],
        *,
        glossary: GlossaryLike | None = None,
        **options: Unpack[TranslateKeywords],
    ) -> Translation | list[Translation]:
        """Translate a text, or each text of a list.

        Args:
            text: A text of any length, or a list of texts.
            glossary: A dictionary, a `Glossary`, or the name of a file. Terms that are found in a text are
                met in its translation; `Translation.terms` has the result of each.
            **options: See `TranslateKeywords`: beam, n_best, policy, keep, workers, ...

        Returns:
            A `Translation`, or a list of them in the same order.

        Examples:
            >>> import lexalign
            >>> translator = lexalign.load("de", "en")
            >>> translator.translate("Das Haus ist groß.", glossary={"Haus": "building"}).text
            'The building is big.'
            >>> [found.text for found in translator.translate(["Guten Tag!", "Danke."], beam=2)]
            ['Good day!', 'Thank you.']
        """
        if isinstance(text, str):
            return self.translate([text], glossary=glossary, **options)[0]
        asked, terms = as_options(**options), as_glossary(glossary, self.languages)
        with in_python(), self._lock:
            found = self.engine.translate(_texts(text), asked, glossary=terms)
        return [Translation(one) for one in found]

    def translate_many(
        self,
        texts: Iterable[str],
        *,
        glossary: GlossaryLike | None = None,
        **options: Unpack[TranslateKeywords],
    ) -> Iterator[Translation]:
        """Translate any number of texts as they are read, in order, keeping only some of them in memory.

        Examples:
            >>> import lexalign
            >>> translator = lexalign.load("de", "en")
            >>> for found in translator.translate_many(f"Zimmer {number}" for number in (1, 2)):
            ...     print(found)
            Room 1
            Room 2
        """
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise TypeError(f"texts is of type {type(texts).__name__}; give an iterable of str")
        asked, terms = as_options(**options), as_glossary(glossary, self.languages)
        found = self.engine.translate_stream(_checked(texts), asked, glossary=terms)
        return map(Translation, self._take_turns(found))

    def stream(
        self, text: str, *, glossary: GlossaryLike | None = None, **options: Unpack[TranslateKeywords]
    ) -> Iterator[Chunk]:
        """Translate a text greedily, yielding each word with its source as soon as it is decided.

        A sentence with terms of the glossary is searched as in `translate`, and its words come all at once.
        `"".join(chunk.text for chunk in ...)` is the translation.

        Examples:
            >>> import lexalign
            >>> translator = lexalign.load("de", "en")
            >>> for chunk in translator.stream("Guten Tag!"):
            ...     print(repr(chunk.text), chunk.source)
            'Good' Guten
            ' day' Tag
            '!' !
        """
        if not isinstance(text, str):
            raise TypeError(f"the text is of type {type(text).__name__}; give a str")
        if options.get("n_best", 1) != 1:
            raise OptionError("a stream gives one translation; leave out n_best")
        asked, terms = as_options(**options), as_glossary(glossary, self.languages)
        with in_python(), self._lock:
            tokens = self.engine.stream(
                text,
                method=asked.constraints.method,
                max_length=asked.max_length,
                options=asked,
                glossary=terms,
            )
        return read_chunks(text, self._take_turns(tokens))

    def _take_turns(self, found: Iterator[_Found]) -> Iterator[_Found]:
        """Other threads may use the translator between two results."""
        while True:
            with in_python(), self._lock:
                one = next(found, None)
            if one is None:
                return
            yield one

    def align(self, source: Words, target: Words, *, reverse: "Translator | None" = None) -> Alignment:
        """Align the words of a text with those of its translation.

        Args:
            source: A text, or its words.
            target: Its translation, or its words.
            reverse: A translator of the other direction. Both together align better than one.

        Examples:
            >>> import lexalign
            >>> translator = lexalign.load("de", "en")
            >>> translator.align("Das Haus ist groß.", "The house is big.").words
            (WordLink('Das', 'The', 1.00), WordLink('Haus', 'house', 1.00), ...)
        """
        return next(self.align_many([(source, target)], reverse=reverse))

    def align_many(
        self, pairs: Iterable[tuple[Words, Words]], *, reverse: "Translator | None" = None
    ) -> Iterator[Alignment]:
        """Align many pairs as they are read, in order; faster than one by one.

        Examples:
            >>> import lexalign
            >>> pairs = [("Das Haus brennt.", "The house is burning."), ("Danke.", "Thanks.")]
            >>> [found.pharaoh for found in lexalign.load("de", "en").align_many(pairs)]
            ['0-0 1-1 2-2 2-3', '0-0']
        """
        unread = iter(pairs)
        while window := list(islice(unread, _WINDOW)):
            with in_python(), _both(self, reverse):
                forward = self.engine.word_aligner()
                backward = None if reverse is None else self._reverse_aligner(reverse)
                found = list(align_pairs(window, forward, backward))
            yield from found

    def _reverse_aligner(self, reverse: "Translator") -> WordAligner:
        own, other = self.languages, reverse.languages
        if own and other and own != other[::-1]:
            raise OptionError(f"reverse translates from {other[0]} to {other[1]}; from {own[1]} is needed")
        return reverse.engine.word_aligner()

    def __repr__(self) -> str:
        between = " to ".join(self.languages) if self.languages else "unknown languages"
        return f"<Translator {between}, {self.folder.name}>"

    def __reduce__(self) -> tuple[type["Translator"], tuple[object, ...]]:
        return Translator, self._place


@contextmanager
def _both(one: Translator, other: Translator | None) -> Iterator[None]:
    """Hold both, always in the same order, so that two threads never wait for each other."""
    with ExitStack() as held:
        for translator in sorted({one, other} - {None}, key=id):
            held.enter_context(translator._lock)  # type: ignore[union-attr]
        yield


def _texts(given: list[str] | tuple[str, ...]) -> list[str]:
    """Refuse what is not a list of texts before the engine fails on it."""
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise TypeError(f"the text is of type {type(given).__name__}; give a str, or a list of them")
    return list(_checked(given))


def _checked(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is of type {type(text).__name__}, not a str")
        yield text
