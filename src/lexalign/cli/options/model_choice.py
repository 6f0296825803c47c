"""The model that a command uses: the given one, by its folder or its name, or one found by its languages.

--from and --to choose among bundled and downloaded models, among the languages of a multilingual model, and
among the languages of a glossary.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from lexalign.bundled import BundledModels
from lexalign.bundled.cache import find_folder
from lexalign.contracts.errors import LexalignError
from lexalign.text.model_languages import check_languages, languages_of_folder

_SAMPLE_LINES = 200  # enough to detect the language of a file

ModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        parser=find_folder,
        help="Folder or name of the model; by default a bundled or downloaded one.",
    ),
]
ReverseModelFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL", parser=find_folder, help="Model of the reverse direction, by its folder or name."
    ),
]
SourceLanguage = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="LANGUAGE",
        help="Language of the text, such as de; detected if no --model is given.",
    ),
]
TargetLanguage = Annotated[
    str | None, typer.Option("--to", metavar="LANGUAGE", help="Language of the translation, such as en.")
]
ModelSource = Annotated[
    str | None, typer.Option("--from", metavar="LANGUAGE", help="Source language of the model, such as de.")
]
ModelTarget = Annotated[
    str | None, typer.Option("--to", metavar="LANGUAGE", help="Target language of the model, such as en.")
]


def both_languages(source: str | None, target: str | None) -> tuple[str, str] | None:
    """The languages of a model that is being created: both or neither are given."""
    if (source is None) != (target is None):
        raise LexalignError("give both --from and --to, or neither")
    return None if source is None or target is None else (source, target)


def language_pair(source: str | None, target: str | None) -> tuple[str, str] | None:
    """None where no language is given; a multilingual model reports which one it lacks."""
    return None if source is None and target is None else (source or "", target or "")


@dataclass(frozen=True, kw_only=True)
class ChosenModel:
    """Its languages are known from its folder, from the options, or from the choice of a bundled model."""

    folder: Path
    source: str | None
    target: str | None

    @property
    def languages(self) -> tuple[str, str] | None:
        """The languages that a multilingual model is to use; other models ignore them."""
        return language_pair(self.source, self.target)


def choose_model(
    model: Path | None, source: str | None, target: str | None, read_text: Callable[[], str]
) -> ChosenModel:
    """`read_text` gives a sample of the text, where its language has to be detected."""
    if model is not None:
        known = languages_of_folder(model)
        check_languages(model, known, (source, target))
        own = known or (source, target)
        return ChosenModel(folder=model, source=own[0], target=own[1])
    models = BundledModels.installed()
    source, target = models.choose(source, target, read_text)
    return ChosenModel(folder=models.find(source, target), source=source, target=target)


def choose_both_models(
    source: str | None, target: str | None, read_text: Callable[[], str]
) -> tuple[ChosenModel, ChosenModel]:
    """The bundled models of both directions."""
    models = BundledModels.installed()
    source, target = models.choose(source, target, read_text)
    return (
        ChosenModel(folder=models.find(source, target), source=source, target=target),
        ChosenModel(folder=models.find(target, source), source=target, target=source),
    )


def sample_of_lines(lines: Iterable[str]) -> str:
    return "\n".join(islice(lines, _SAMPLE_LINES))


def sample_of_file(path: Path) -> str:
    from lexalign.data.reader import read_lines

    if path.is_dir():
        raise LexalignError(f"{path} is a folder; its files: lexalign translate corpus {path} OUTPUT")
    if path.exists() and not path.is_file():  # such as a named pipe
        raise LexalignError(f"{path} can be read only once; give its language with --from LANGUAGE")
    return sample_of_lines(read_lines(path))
