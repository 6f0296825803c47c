"""A translator as `markup` sees one: sentences in, translations with links out."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import TextAlignment
from lexalign.contracts.constraint import Constraint
from lexalign.translator.options import TranslateOptions
from lexalign.translator.reading import Text
from lexalign.translator.translation import Translation
from lexalign.translator.translator import Translator


def _ask_nothing(_sentence: str) -> Sequence[Constraint]:
    return ()


def _say_nothing(_sentence: str, _translation: Translation) -> None:
    return


@dataclass(frozen=True, kw_only=True)
class AlignedSentences:
    """`constraints` says what is asked of a sentence's translation, `notice` sees every translation."""

    translator: Translator
    options: TranslateOptions
    constraints: Callable[[str], Sequence[Constraint]] = _ask_nothing
    notice: Callable[[str, Translation], None] = _say_nothing
    max_tokens: int = 256  # models have seen few sentences that are longer, and do badly on them

    def fits(self, sentence: str) -> bool:
        limit = min(self.max_tokens, self.translator.max_source_tokens)
        return self.translator.num_tokens(sentence) <= limit

    def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
        asked: deque[str] = deque()
        for translation in self.translator.translate_stream(self._read(sentences, asked), self.options):
            sentence = asked.popleft()
            self.notice(sentence, translation)
            yield TextAlignment(source=sentence, target=translation.text, links=translation.links)

    def _read(self, sentences: Iterable[str], asked: deque[str]) -> Iterator[Text]:
        for sentence in sentences:
            asked.append(sentence)
            yield sentence, self.constraints(sentence)
