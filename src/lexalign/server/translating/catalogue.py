"""The models that a server has loaded, by their languages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device
from lexalign.models.projection import Precision
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, languages_of_folder
from lexalign.translator import OnlineMethod, Translator

_NAMED = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)?)-([A-Za-z]{2,3})=(.+)")
# The best first; those that know a token's source only after the next are of no use here.
_METHODS: tuple[OnlineMethod, ...] = ("post-aln", "prior-att", "naive-att")


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """A folder and its languages, in lower case."""

    source: str
    target: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.source}-{self.target}"


def parse_choice(written: str, source: str | None = None, target: str | None = None) -> ModelChoice:
    """DIR, whose config or name says its languages, or `de-en=DIR`, or DIR with languages given beside it."""
    named = _NAMED.fullmatch(written)
    folder = Path(named[3] if named else written)
    known = languages_of_folder(folder)
    if named:
        check_languages(folder, known, (named[1], named[2]))
        return ModelChoice(source=_in_lower_case(named[1]), target=_in_lower_case(named[2]), folder=folder)
    check_languages(folder, known, (source, target))
    if known is None and source and target:
        known = primary(source), primary(target)
    if known is None:
        raise LexalignError(
            f"--model {written}: its languages are not known; write --model de-en={written}, or give "
            "--from and --to"
        )
    return ModelChoice(source=known[0], target=known[1], folder=folder)


def _in_lower_case(language: str) -> str:
    """With its region, where it has one: models of pt-br and pt-pt may stand side by side."""
    return language.lower() if "-" in language else primary(language)


@dataclass(frozen=True, kw_only=True)
class LoadedModel:
    choice: ModelChoice
    translator: Translator
    aligner: OnlineMethod | None  # the best that its folder holds

    @property
    def name(self) -> str:
        return self.choice.name


class Catalogue:
    def __init__(self, models: Sequence[LoadedModel]) -> None:
        self.models = {model.name: model for model in models}

    def translators(self) -> dict[str, Translator]:
        return {name: model.translator for name, model in self.models.items()}

    @property
    def sources(self) -> list[str]:
        return sorted({model.choice.source for model in self.models.values()})

    def targets(self, source: str) -> list[str]:
        return sorted(model.choice.target for model in self.models.values() if model.choice.source == source)

    def all_targets(self) -> list[str]:
        return sorted({model.choice.target for model in self.models.values()})

    def has(self, source: str, target: str | None) -> bool:
        """Whether a model translates from one language to another, or from it at all."""
        return any(
            _fits(source, one.choice.source) and _fits(target, one.choice.target)
            for one in self.models.values()
        )

    def choose(self, source: str | None, target: str | None, guess: Callable[[], str | None]) -> LoadedModel:
        """A language that is not given is the only possible one, or guessed; regions are details."""
        fitting = [
            model
            for model in self.models.values()
            if _fits(source, model.choice.source) and _fits(target, model.choice.target)
        ]
        if len(fitting) > 1 and source is None and (guessed := guess()) is not None:
            fitting = [model for model in fitting if model.choice.source == guessed] or fitting
        if not fitting:
            asked = " ".join(
                f"{word} {code}" for word, code in (("from", source), ("to", target)) if code is not None
            )
            raise LexalignError(f"no model {asked} is loaded; there are {', '.join(sorted(self.models))}")
        if len({model.name for model in fitting}) > 1:
            names = ", ".join(sorted(model.name for model in fitting))
            raise LexalignError(f"several models would do ({names}); give the source and target language")
        return fitting[0]


def load(choices: Sequence[ModelChoice], device: str, precision: Precision | None) -> Catalogue:
    """`precision` None is int8 on a CPU."""
    names = [choice.name for choice in choices]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LexalignError(f"two models for {twice}; a server has one for each pair of languages")
    return Catalogue([_load(choice, device, precision) for choice in choices])


def loader(
    choices: Sequence[ModelChoice], device: str, precision: Precision | None
) -> Callable[[], dict[str, Translator]]:
    """The same models in a process that shares nothing with this one."""
    return partial(_load_translators, tuple(choices), device, precision)


def _load_translators(
    choices: Sequence[ModelChoice], device: str, precision: Precision | None
) -> dict[str, Translator]:
    return load(choices, device, precision).translators()


def _load(choice: ModelChoice, device: str, precision: Precision | None) -> LoadedModel:
    chosen: Precision = precision or ("int8" if parse_device(device).type == "cpu" else "float32")
    translator = Translator.load(choice.folder, device=device, precision=chosen)
    aligner = next((method for method in _METHODS if translator.has_aligner(method)), None)
    return LoadedModel(choice=choice, translator=translator, aligner=aligner)


def _fits(asked: str | None, code: str) -> bool:
    return asked is None or primary(asked) == primary(code)
