"""`lexalign glossary`: lint and convert here, and the commands of the modules beside this one."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from lexalign.bundled.cache import find_folder
from lexalign.cli.commands.glossary_check import check
from lexalign.cli.commands.glossary_extract import SourceLanguage, TargetLanguage, accept, extract
from lexalign.cli.commands.glossary_sets import consistency, diff, merge, stats
from lexalign.cli.groups import Command, Commands, PlaceCommand
from lexalign.contracts.errors import LexalignError

glossary = typer.Typer(
    cls=Commands, no_args_is_help=True, rich_markup_mode=None, help="Make, check and convert glossaries."
)
glossary.command(cls=PlaceCommand)(extract)
glossary.command(cls=PlaceCommand)(accept)
glossary.command(cls=Command)(check)
glossary.command(cls=Command)(consistency)
glossary.command(cls=PlaceCommand)(merge)
glossary.command(cls=Command)(diff)
glossary.command(cls=Command)(stats)


@glossary.command(cls=Command)
def lint(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Glossaries: .csv, .tsv, .tbx or .tmx.")
    ],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Model whose vocabulary must be able to spell the terms.",
        ),
    ] = None,
) -> None:
    """Report errors in glossaries, line by line.

    A file serves both directions; --from and --to choose the one that is checked. Without them, the first
    language of a file is the source. The exit code is 1 if any file has errors; warnings and notes do not
    change it.

    Example: lexalign glossary lint terms.csv --from en --to de
    """
    from lexalign.glossary.lint import lint_file

    can_spell = None if model is None else _spelling_check(model)
    failed = False
    for path in files:
        found, findings = lint_file(
            path, source_language=source_language, target_language=target_language, can_spell=can_spell
        )
        for finding in findings:
            line = "" if finding.line is None else f"{finding.line}:"
            typer.echo(f"{path}:{line} {finding.kind}: {finding.message}")
        counts = Counter(finding.severity for finding in findings)
        typer.echo(
            f"{path}: {_number(len(found), 'term')}, {_number(counts['error'], 'error')}, "
            f"{_number(counts['warning'], 'warning')}"
            + (f", {_number(counts['note'], 'note')}" if counts["note"] else "")
        )
        failed = failed or counts["error"] > 0
    if failed:
        raise typer.Exit(1)


@glossary.command(cls=Command)
def convert(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Glossary: .csv, .tsv, .tbx or .tmx.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="Glossary to write; its suffix chooses the format.")
    ],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
) -> None:
    """Write a glossary in another format.

    --from and --to choose two languages of a file that has several, in either direction. They also name the
    languages of TBX and TMX files where the first file does not.

    Example: lexalign glossary convert terms.csv terms.tbx --from de --to en
    """
    from lexalign.glossary import read_glossary, write_glossary

    read = read_glossary(source, source_language=source_language, target_language=target_language)
    if not read:
        raise LexalignError(f"{source} has no terms")
    write_glossary(read.with_languages(_code(source_language), _code(target_language)), target)


def _code(language: str | None) -> str | None:
    from lexalign.glossary.formats.language_names import language_code

    return language and (language_code(language) or language)


def _spelling_check(model: Path) -> Callable[[str], bool]:
    from lexalign.text.tokenizer_files import load_tokenizer

    tokenizer = load_tokenizer(model).target
    return lambda term: tokenizer.decode(tokenizer.encode(term)) == term


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
