"""The model of the other direction, by which tags are set together with the one that translates."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.bundled import BundledModels
from lexalign.bundled.cache import find_folder
from lexalign.cli.options.model_choice import ChosenModel
from lexalign.contracts.errors import LexalignError
from lexalign.text.languages import primary
from lexalign.text.model_languages import check_languages, is_multilingual, languages_of_folder

if TYPE_CHECKING:
    from lexalign.alignment.attention_files import AttentionPlace
    from lexalign.translator import AlignerName, MutualAligner, Translator

ReverseModel = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL",
        parser=find_folder,
        help="Folder or name of the model of the other direction, which helps to place tags; by default "
        "found by its languages.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReverseChoice:
    """A folder and its languages; `required` where the caller has named it."""

    folder: Path
    languages: tuple[str, str]
    required: bool


def choose_reverse(chosen: ChosenModel, given: Path | None) -> ReverseChoice | None:
    """The given model, else one at hand: the same where it is multilingual, a neighbour, or a bundled one.

    A neighbour is a folder named by the languages: `en-de` beside `de-en`, `en-de/model` for `de-en/model`.
    """
    if chosen.source is None or chosen.target is None:
        if given is not None:
            raise LexalignError("--reverse-model needs the languages of both models; give --from and --to")
        return None
    languages = primary(chosen.target), primary(chosen.source)
    if given is not None:
        check_languages(given, languages_of_folder(given), languages)
        return ReverseChoice(folder=given, languages=languages, required=True)
    found = _at_hand(chosen.folder.resolve(), languages)
    return None if found is None else ReverseChoice(folder=found, languages=languages, required=False)


def _at_hand(folder: Path, languages: tuple[str, str]) -> Path | None:
    if is_multilingual(folder):
        return folder
    name = "-".join(languages)
    for one in (folder.parent / name, folder.parent.parent / name / folder.name):
        if (one / "config.json").is_file() and languages_of_folder(one) in (languages, None):
            return one
    return BundledModels.installed().folders.get(languages)


def load_mutual_aligner(
    translator: "Translator",
    reverse: ReverseChoice | None,
    method: "AlignerName",
    place: "AttentionPlace | None",
    device: str,
) -> "MutualAligner | None":
    """None where there is no other direction, or where its model, not asked for by name, cannot align.

    By `auto`, models that are not asked for by name align together only where both have heads.
    """
    from lexalign.translator import MutualAligner, WordAligner

    if reverse is None:
        return None
    wanted = "post-aln" if method == "auto" and not reverse.required else method
    if wanted != method and (place is not None or not translator.has_head):
        return None
    try:
        backward = WordAligner.load(reverse.folder, wanted, device=device, languages=reverse.languages)
    except LexalignError:
        if reverse.required:
            raise
        return None
    return MutualAligner(forward=translator.word_aligner(method, place), backward=backward)
