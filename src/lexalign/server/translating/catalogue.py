"""The models that a server has loaded, by their languages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.bundled.cache import find_folder
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device
from lexalign.models.projection import Precision
from lexalign.text.detection import detect, is_available
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, languages_of_folder
from lexalign.translator import AlignerName, PolicyName, Translator

_NAMED = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)?)-([A-Za-z]{2,3})=(.+)")


@dataclass(frozen=True, kw_only=True)
class AlignmentChoice:
    """How requests are aligned, and how their terms are met where they do not say it."""

    policy: PolicyName = "guided"
    aligner: AlignerName = "auto"
    attention: AttentionPlace | None = None


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """A model's folder and its languages, in lower case."""

    source: str
    target: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.source}-{self.target}"


def parse_choice(written: str, source: str | None = None, target: str | None = None) -> ModelChoice:
    """Parse DIR, whose config or name tells its languages, or `de-en=DIR`, or DIR with given languages.

    A downloaded model may be given by its name instead of its folder.
    """
    named = _NAMED.fullmatch(written)
    folder = find_folder(named[3] if named else written)
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
    """A language code with its region, if it has one: a server may have models of pt-br and of pt-pt."""
    return language.lower() if "-" in language else primary(language)


@dataclass(frozen=True, kw_only=True)
class LoadedModel:
    choice: ModelChoice
    translator: Translator
    alignment: AlignmentChoice

    @property
    def name(self) -> str:
        return self.choice.name


class Catalogue:
    """The loaded models, by name."""

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
            _matches(source, one.choice.source) and _matches(target, one.choice.target)
            for one in self.models.values()
        )

    def choose(
        self, source: str | None, target: str | None, detect_source: Callable[[], str | None]
    ) -> LoadedModel:
        """The model for a pair of languages; one that is None is the only possible one, or detected.

        Regions are ignored.
        """
        matching = [
            model
            for model in self.models.values()
            if _matches(source, model.choice.source) and _matches(target, model.choice.target)
        ]
        if len(matching) > 1 and source is None and (detected := detect_source()) is not None:
            matching = [model for model in matching if model.choice.source == detected] or matching
        if not matching:
            direction = " ".join(
                f"{word} {code}" for word, code in (("from", source), ("to", target)) if code is not None
            )
            raise LexalignError(
                f"no model {direction} is loaded; the loaded models are {', '.join(sorted(self.models))}"
            )
        if len({model.name for model in matching}) > 1:
            names = ", ".join(sorted(model.name for model in matching))
            raise LexalignError(f"several models would do ({names}); give the source and target language")
        return matching[0]


def load(
    choices: Sequence[ModelChoice],
    device: str,
    precision: Precision | None,
    alignment: AlignmentChoice | None = None,
) -> Catalogue:
    """Load all models; `precision` None is int8 on a CPU."""
    names = [choice.name for choice in choices]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LexalignError(f"two models for {twice}; a server has one for each pair of languages")
    chosen = alignment or AlignmentChoice()
    return Catalogue([_load(choice, device, precision, chosen) for choice in choices])


def loader(
    choices: Sequence[ModelChoice], device: str, precision: Precision | None
) -> Callable[[], dict[str, Translator]]:
    """A function that loads the same models in a new process."""
    return partial(_load_translators, tuple(choices), device, precision)


def _load_translators(
    choices: Sequence[ModelChoice], device: str, precision: Precision | None
) -> dict[str, Translator]:
    return load(choices, device, precision).translators()


def _load(
    choice: ModelChoice, device: str, precision: Precision | None, alignment: AlignmentChoice
) -> LoadedModel:
    chosen: Precision = precision or ("int8" if parse_device(device).type == "cpu" else "float32")
    languages = choice.source, choice.target
    translator = Translator.load(choice.folder, device=device, precision=chosen, languages=languages)
    translator.prepare_aligners(alignment.aligner, alignment.attention)  # so that no request waits for them
    return LoadedModel(choice=choice, translator=translator, alignment=alignment)


def _matches(requested: str | None, code: str) -> bool:
    return requested is None or primary(requested) == primary(code)


def detect_language(text: str, languages: Sequence[str]) -> tuple[str, float] | None:
    """One of the languages and its probability; None where the detection is not sure."""
    if not is_available():
        return None
    found = detect(text, languages)
    return None if found.language is None else _among(found.language, languages, found.probability)


def _among(found: str, languages: Sequence[str], probability: float) -> tuple[str, float] | None:
    """The language by the server's code for it, which may name a region."""
    code = next((code for code in languages if code.partition("-")[0] == found), None)
    return None if code is None else (code, probability)
