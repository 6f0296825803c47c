"""The model that a command works with: the one that is named, or one that comes with the package.

--from and --to choose among the models of the package, among the languages of a multilingual model, and among
the terms of a glossary.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.bundled import BundledModels
from lexalign.contracts.errors import LexalignError
from lexalign.text.model_languages import check_languages, languages_of_folder

if TYPE_CHECKING:
    from lexalign.models.projection import Precision

_LINES = 200  # tell a file's language

ModelFolder = Annotated[
    Path | None,
    typer.Option("--model", metavar="DIR", help="The folder of the model; by default a bundled one."),
]
SourceLanguage = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="LANGUAGE", help="Of the text, as de; detected where no --model is given."
    ),
]
TargetLanguage = Annotated[
    str | None, typer.Option("--to", metavar="LANGUAGE", help="Of the translation, as en.")
]
ModelSource = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="The language that the model translates from, as de."),
]
ModelTarget = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="The language that it translates to, as en."),
]
Int8 = Annotated[
    bool | None,
    typer.Option(
        "--int8/--float32",
        help="On a CPU, compute in 8 bits (faster, about as good) or in 32; by default as it is stored.",
    ),
]


SharedScales = Annotated[
    bool,
    typer.Option(
        "--shared-scales",
        help="8 bits with one scale for a whole batch: 3 to 11 % faster, but a text's translation then "
        "depends on its neighbours.",
    ),
]


def precision_of(int8: bool | None, shared_scales: bool = False) -> "Precision | None":
    if shared_scales:
        if int8 is False:
            raise LexalignError("--shared-scales is for 8 bits; leave out --float32")
        return "int8-shared"
    return None if int8 is None else "int8" if int8 else "float32"


def both_languages(source: str | None, target: str | None) -> tuple[str, str] | None:
    """Of a model that is being made: both or none."""
    if (source is None) != (target is None):
        raise LexalignError("give both --source-language and --target-language, or neither")
    return None if source is None or target is None else (source, target)


def language_pair(source: str | None, target: str | None) -> tuple[str, str] | None:
    """None where nothing is chosen; a model says itself what it must know."""
    return None if source is None and target is None else (source or "", target or "")


@dataclass(frozen=True, kw_only=True)
class ChosenModel:
    """Its languages are known where its folder says them, they were given, or a model was found by them."""

    folder: Path
    source: str | None
    target: str | None

    @property
    def languages(self) -> tuple[str, str] | None:
        """For a multilingual model to choose; others have no use for them."""
        return language_pair(self.source, self.target)


def choose_model(
    model: Path | None, source: str | None, target: str | None, read_text: Callable[[], str]
) -> ChosenModel:
    """`read_text` gives some of the text, where its language has to be guessed."""
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
    """Those of a direction and of its reverse."""
    models = BundledModels.installed()
    source, target = models.choose(source, target, read_text)
    return (
        ChosenModel(folder=models.find(source, target), source=source, target=target),
        ChosenModel(folder=models.find(target, source), source=target, target=source),
    )


def beginning(lines: Iterable[str]) -> str:
    return "\n".join(islice(lines, _LINES))


def beginning_of_file(path: Path) -> str:
    from lexalign.data.reader import read_lines

    if path.exists() and not path.is_file():  # such as a named pipe
        raise LexalignError(f"{path} can be read only once; say its language by --from LANGUAGE")
    return beginning(read_lines(path))
