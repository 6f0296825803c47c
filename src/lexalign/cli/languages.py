"""The languages of multilingual models on the command line."""

from typing import Annotated

import typer

from lexalign.contracts.errors import LexalignError

SourceLanguage = Annotated[
    str | None, typer.Option("--from", metavar="CODE", help="Of a multilingual model: the source language.")
]
TargetLanguage = Annotated[
    str | None, typer.Option("--to", metavar="CODE", help="The target language, by the model's own code.")
]


def choose(source: str | None, target: str | None) -> tuple[str, str] | None:
    """None where nothing is chosen; a model says itself what it must know."""
    return None if source is None and target is None else (source or "", target or "")


def parse_pair(text: str) -> tuple[str, str]:
    source, colon, target = text.partition(":")
    if not (source and colon and target):
        raise LexalignError(f"{text!r} is not a pair of languages; write it as de:en")
    return source, target
