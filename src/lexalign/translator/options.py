"""Options of a translation, and what follows from them for reading, searching and batching."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.options import SearchOptions
from lexalign.markup.protection import Patterns
from lexalign.text.detection import already_in
from lexalign.text.subwords import Languages

OnlineMethod = Literal["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]
# The model's PostAln head or, where it has none, the attention that aligns best.
AlignerName = OnlineMethod | Literal["auto"]
PolicyName = Literal["none", "replace", "vdba", "align-vdba", "guided"]


@dataclass(frozen=True, kw_only=True)
class ConstraintOptions:
    """How constraints are met.

    `replace` swaps tokens where they are aligned to a constraint's source, and meets only some constraints;
    `vdba` meets all, wherever they are probable; `align-vdba`, the paper's, looks where they would come from;
    `guided` meets all, where what they translate would be translated anyway, and shares the work with
    replacement and stand-ins (`search_choice.py`), unless `with_other_searches` is False.
    """

    policy: PolicyName = "guided"
    method: AlignerName = "auto"  # the aligner of all policies but vdba
    attention: AttentionPlace | None = None  # that naive-att and shift-att read, here and in `align`
    temperature: float = 2.0
    threshold: float | None = None  # of align-vdba; None: 0.1, and 0 from a beam of 10 on
    free_tokens: Literal["joint", "literal"] = "joint"  # of align-vdba
    ordered: bool = False  # constraints are to be met in the order in which they are given
    with_other_searches: bool = True  # of guided: what they find may be the translation

    def __post_init__(self) -> None:
        if self.policy not in get_args(PolicyName):
            raise LexalignError(
                f"unknown policy {self.policy!r}; choose from {', '.join(get_args(PolicyName))}"
            )
        if self.temperature <= 0:
            raise LexalignError(f"temperature is {self.temperature}; it must be above 0")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise LexalignError(f"threshold is {self.threshold}; it must be between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class TranslateOptions:
    """Options of a translation; None stands for what suits the device."""

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0  # scores are log-probability / length**length_penalty
    max_length: int = 512  # tokens of a translation; a short source has a lower limit of its own
    batch_tokens: int | None = None  # sentences × the longest source among them, searched together
    window: int | None = None  # sentences read before they are sorted by length
    workers: int | None = None  # processes; one for each core of a CPU, always one with a GPU
    constraints: ConstraintOptions = field(default_factory=ConstraintOptions)
    align: AlignerName | None = None  # also tell where every token comes from
    shortlist: bool = True  # score only what a sentence's words may become, if the model has a list of it
    coverage: bool = True  # tell which source words nothing comes from, where the model has an aligner
    sentences: bool = True  # texts are split into sentences; otherwise only into lines
    max_sentence_tokens: int = 256  # longer ones are split: models have seen few of them, and do badly
    protect: bool = True  # placeholders, addresses and other untranslatables are kept as they are
    skip_translated: bool = True  # a text that is in the target language already comes back as it is
    patterns: tuple[str, ...] = ()  # regular expressions (RE2) of more that is to be kept

    def __post_init__(self) -> None:
        self.search(self.max_length)
        for name in ("batch_tokens", "window", "workers", "max_sentence_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise LexalignError(f"{name} is {value}; it must be at least 1")

    def verbatim(self) -> "TranslateOptions":
        """The same for text that has a sentence to a line, and in which nothing is kept from the model."""
        return replace(self, sentences=False, protect=False, skip_translated=False)

    def plan(self, longest: int) -> "SearchPlan":
        """How sentences are searched, where the model has no place for more than `longest` tokens."""
        return SearchPlan(
            search=self.search(longest),
            constraints=self.constraints,
            align=self.align,
            shortlist=self.shortlist,
            coverage=self.coverage,
        )

    def batching(self, *, on_cpu: bool) -> "BatchingDefaults":
        """How much goes through a device at a time, where the caller has not chosen it."""
        usual = CPU_BATCHING if on_cpu else GPU_BATCHING
        return replace(
            usual,
            batch_tokens=self.batch_tokens or usual.batch_tokens,
            window=self.window or usual.window,
        )

    def search(self, longest: int) -> SearchOptions:
        """As `plan`, for the search alone."""
        return SearchOptions(
            beam=self.beam,
            n_best=self.n_best,
            length_penalty=self.length_penalty,
            max_length=min(self.max_length, longest),
        )


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How the texts of a call are read."""

    sentences: bool
    protect: bool
    patterns: Patterns
    max_tokens: int  # of a sentence; longer ones are split
    languages: Languages | None = None
    skip_translated: bool = False

    @classmethod
    def of(cls, options: TranslateOptions, limit: int, languages: Languages | None = None) -> "ReadOptions":
        return cls(
            sentences=options.sentences,
            protect=options.protect,
            patterns=Patterns(options.patterns),
            max_tokens=min(limit, options.max_sentence_tokens) if options.sentences else limit,
            languages=languages,
            skip_translated=options.skip_translated,
        )

    def is_translated(self, text: str) -> bool:
        """Whether a text needs no translation."""
        return self.skip_translated and self.languages is not None and already_in(text, *self.languages)


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """How all sentences of a call are searched, and by what method their results are aligned."""

    search: SearchOptions
    constraints: ConstraintOptions
    align: AlignerName | None = None
    shortlist: bool = True
    coverage: bool = False


@dataclass(frozen=True, kw_only=True)
class BatchingDefaults:
    """How much goes through a device at a time."""

    batch_tokens: int
    window: int
    length_multiple: int  # lengths are taken for the next multiple of it


# A core has enough to do with 16 sentences of 30 tokens; larger batches only delay the first results.
CPU_BATCHING = BatchingDefaults(batch_tokens=512, window=512, length_multiple=1)
# A search is recorded for each shape it meets; with coarse lengths there are few.
GPU_BATCHING = BatchingDefaults(batch_tokens=16384, window=8192, length_multiple=16)
