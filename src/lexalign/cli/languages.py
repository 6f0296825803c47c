"""The languages of a text and of its translation on the command line.

They choose among the models that came along, among the languages of a multilingual model, and among the terms
of a glossary.
"""

from typing import Annotated

import typer

from lexalign.contracts.errors import LexalignError

SourceLanguage = Annotated[
    str | None,
    typer.Option("--from", metavar="LANGUAGE", help="Of the text, as de; guessed where no --model is given."),
]
TargetLanguage = Annotated[
    str | None, typer.Option("--to", metavar="LANGUAGE", help="Of the translation, as en.")
]


def language_pair(source: str | None, target: str | None) -> tuple[str, str] | None:
    """None where nothing is chosen; a model says itself what it must know."""
    return None if source is None and target is None else (source or "", target or "")


def parse_pair(text: str) -> tuple[str, str]:
    source, colon, target = text.partition(":")
    if not (source and colon and target):
        raise LexalignError(f"{text!r} is not a pair of languages; write it as de:en")
    return source, target
