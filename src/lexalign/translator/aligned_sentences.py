"""A translator as `markup` sees one: sentences in, translations with links out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lexalign.contracts.alignment import TextAlignment
from lexalign.glossary import Glossary, Matcher
from lexalign.translator.options import TranslateOptions
from lexalign.translator.translation import Translation
from lexalign.translator.translator import Translator


def _say_nothing(_translation: Translation) -> None:
    return


@dataclass(frozen=True, kw_only=True)
class AlignedSentences:
    """`notice` sees every translation, and what became of a glossary's terms in it."""

    translator: Translator
    options: TranslateOptions
    glossary: Glossary | Matcher | None = None
    notice: Callable[[Translation], None] = _say_nothing
    max_tokens: int = 256  # models have seen few sentences that are longer, and do badly on them

    def fits(self, sentence: str) -> bool:
        limit = min(self.max_tokens, self.translator.max_source_tokens)
        return self.translator.num_tokens(sentence) <= limit

    def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
        for found in self.translator.translate_stream(sentences, self.options, glossary=self.glossary):
            self.notice(found)
            yield TextAlignment(source=found.source, target=found.text, links=found.told_links)
