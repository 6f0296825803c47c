"""The glossaries and terms that a command is given, and the matcher that finds them in a text."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import warn
from lexalign.cli.options.sections import TERMS
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Matcher
    from lexalign.glossary.matching.matcher import TargetForms

SourceFormsName = Literal["inflected", "exact"]
GlossaryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Glossary, for either direction: .csv, .tsv, .tbx or .tmx. May be repeated.",
        rich_help_panel=TERMS,
    ),
]
Terms = Annotated[
    list[str] | None,
    typer.Option(
        "--term",
        metavar="SOURCE=TARGET",
        help="A term, such as Haus=house or Haus|Heim=house|home. May be repeated.",
        rich_help_panel=TERMS,
    ),
]
SourceForms = Annotated[
    SourceFormsName | None,
    typer.Option(
        "--source-forms",
        help="Find terms also in inflected forms, or only as they are written.",
        show_default="inflected",
        rich_help_panel=TERMS,
    ),
]
Forms = Annotated[
    bool,
    typer.Option(
        "--forms/--no-forms",
        help="Allow inflected forms of targets, or only listed ones.",
        rich_help_panel=TERMS,
    ),
]
Compounds = Annotated[
    bool,
    typer.Option(
        "--compounds/--no-compounds",
        help="Allow targets as parts of German compounds, or only where the glossary allows it.",
        rich_help_panel=TERMS,
    ),
]


def make_matcher(
    files: Sequence[Path],
    terms: Sequence[str],
    languages: tuple[str | None, str | None],
    source_forms: SourceFormsName | None,
    forms: bool,
    compounds: bool,
) -> "Matcher | None":
    """Inflected forms that cannot be found are an error where they were asked for, and else a warning."""
    from lexalign.glossary import Glossary, Matcher, MatchOptions, parse_terms, read_glossary

    target_forms: TargetForms = "all" if forms else "listed"
    glossary = Glossary(tuple(entry for term in terms for entry in parse_terms(term)))
    source, target = languages
    for path in files:
        found = read_glossary(path, source_language=source, target_language=target)
        if not found:
            warn(f"{path} has no terms")
        glossary += found
    if not glossary:
        return None
    options = MatchOptions(
        source_forms=source_forms or "inflected", target_forms=target_forms, compounds=compounds
    )
    if options.source_forms == "inflected" and not (source or glossary.source_language):
        _refuse_or_warn(
            source_forms, "inflected forms of terms are not found without the source language; give --from"
        )
    try:
        return Matcher(glossary, options, source_language=source, target_language=target)
    except LexalignError as error:
        _refuse_or_warn(source_forms, str(error))
    exact = replace(options, source_forms="exact")
    return Matcher(glossary, exact, source_language=source, target_language=target)


def _refuse_or_warn(asked: SourceFormsName | None, message: str) -> None:
    if asked is not None:
        raise LexalignError(message)
    warn(message)
