"""What is asked of a translation, and what comes of it, for all APIs of the server."""

from dataclasses import dataclass, field

from lexalign.glossary import Glossary, MatchOptions
from lexalign.markup import TagHandling, TagOptions
from lexalign.server.batching.thread_pools import size_of
from lexalign.server.translating.catalogue import LoadedModel
from lexalign.translator import PolicyName, Translation


@dataclass(frozen=True, kw_only=True)
class TranslationRequest:
    """Texts and how to translate them; languages that are None are detected."""

    texts: tuple[str, ...]
    source: str | None = None
    target: str | None = None
    glossary: Glossary = field(default_factory=Glossary)
    stored: tuple[Glossary, ...] = ()  # further ones, which give way to it, and to those before them
    policy: PolicyName | None = None  # None is that of the server
    beam: int = 5
    alternatives: int = 0
    align: bool = True
    sentences: bool = True  # whether texts are split into sentences, or only into lines
    context: str = ""  # text around these texts, which helps to detect their language
    protect: bool = True  # whether untranslatables are kept as they are
    skip_translated: bool = True  # whether a text in the target language comes back as it is
    forms: MatchOptions = field(default_factory=MatchOptions)
    tags: TagHandling | None = None
    tag_options: TagOptions = field(default_factory=TagOptions)  # of XML

    @property
    def glossaries(self) -> tuple[Glossary, ...]:
        """All that have terms, the first of which comes first."""
        return tuple(one for one in (self.glossary, *self.stored) if len(one))

    @property
    def size(self) -> int:
        """The cost of reading or writing its texts, for `ThreadPools`."""
        return (1 + self.alternatives) * size_of(sum(map(len, self.texts)), num_texts=len(self.texts))


@dataclass(frozen=True, kw_only=True)
class TranslationResult:
    """The translations of a request, and the model of each."""

    models: list[LoadedModel]
    translations: list[Translation]

    @property
    def sources(self) -> list[str]:
        """The language of each text; one that needed no translation is in the target language."""
        found = zip(self.models, self.translations, strict=True)
        return [model.choice.target if one.note else model.choice.source for model, one in found]
