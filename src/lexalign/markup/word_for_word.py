"""A fake translator, word by word, for tests and for trying formats."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lexalign.characters import marks
from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.markup.protection import find_untranslatables, mask_text, restore_links, restore_text


@dataclass(frozen=True)
class WordForWord:
    """Translates and links every word by itself; `reverse` reverses the order of the words."""

    translate_word: Callable[[str], str] = str.upper
    reverse: bool = False
    max_words: int = 1000

    def fits(self, sentence: str) -> bool:
        return len(sentence.split()) <= self.max_words

    def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
        """Translate sentences; untranslatables are kept, as by a real translator."""
        for sentence in sentences:
            masked = mask_text(sentence, find_untranslatables(sentence))
            aligned = self._align(masked.text)
            restored = restore_text(masked, aligned.target, aligned.links)
            links = restore_links(masked, restored, aligned.links)
            yield TextAlignment(source=sentence, target=restored.text, links=links)

    def _align(self, sentence: str) -> TextAlignment:
        words = list(re.finditer(rf"\w[\w{marks()}]*|[^\w\s]", sentence))
        target = ""
        links = []
        position = 0
        for word in reversed(words) if self.reverse else words:
            translated = self.translate_word(word[0])
            target += (" " if target else "") if self.reverse else sentence[position : word.start()]
            position = word.end()
            links.append(SpanLink(word.span(), (len(target), len(target) + len(translated)), 1.0))
            target += translated
        return TextAlignment(source=sentence, target=target, links=tuple(links))
