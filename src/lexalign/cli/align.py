"""`lexalign align`."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from lexalign.cli.model_choice import (
    ChosenModel,
    SourceLanguage,
    TargetLanguage,
    beginning,
    choose_both_models,
    choose_model,
)
from lexalign.cli.output import open_output
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.alignment.links import LinkOptions
    from lexalign.alignment.statistical import SentencePair
    from lexalign.contracts.alignment import Link, WordAlignment
    from lexalign.translator.mutual_alignment import Joining, OfflineMethod
    from lexalign.translator.options import OnlineMethod
    from lexalign.translator.word_aligner import WordAligner, WordText

MethodName = Literal[
    "naive-att",
    "shift-att",
    "prior-att",
    "shift-aet",
    "post-aln",
    "fast-align",
    "hmm-agreement",
    "hmm",
    "ibm4",
]
FormatName = Literal["pharaoh", "probabilities", "talp", "json", "spans"]
SymmetrizationName = Literal[
    "mean", "union", "intersection", "grow-diag", "grow-diag-and", "grow-diag-final", "grow-diag-final-and"
]
_OFFLINE = ("fast-align", "hmm-agreement", "hmm", "ibm4")
_WINDOW = 2000  # pairs that are sorted by length together

TextPair = tuple["WordText", "WordText"]


def align(
    source: Annotated[Path, typer.Argument(help="Source sentences; or, alone, lines `source ||| target`.")],
    target: Annotated[Path | None, typer.Argument(help="Their translations, line by line.")] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The model; by default a bundled one. Statistical methods need none.",
        ),
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    method: Annotated[MethodName, typer.Option(help="How to align.")] = "post-aln",
    words: Annotated[
        Literal["raw", "words", "characters"],
        typer.Option(help="Running text; words set apart by spaces, marks too; the same for Japanese."),
    ] = "raw",
    output_format: Annotated[
        FormatName,
        typer.Option("--format", help="Links as 0-0, 0-0:0.9, talp, JSON, or first and last characters."),
    ] = "pharaoh",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file when all is aligned.")
    ] = None,
    reverse_model: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The model of the other direction, to symmetrise.")
    ] = None,
    symmetrize: Annotated[
        SymmetrizationName | None,
        typer.Option(help="How both directions are joined: mean of their probabilities, or links by ..."),
    ] = None,
    layer: Annotated[
        int | None, typer.Option(min=1, help="Whose attention naive-att and shift-att read.")
    ] = None,
    pin_marks: Annotated[
        bool, typer.Option(help="shift-att: align a final mark with a final mark and nothing else.")
    ] = True,
    end: Annotated[
        Literal["masked", "null"],
        typer.Option(help="A word drawn to the end of the sentence takes its next best link, or none."),
    ] = "masked",
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Leave out links less probable than this; by default what the head's training found best, "
            "and with --symmetrize mean a half.",
        ),
    ] = None,
    learn_source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="More text that a statistical aligner learns from.")
    ] = None,
    learn_target: Annotated[Path | None, typer.Option(metavar="FILE", help="Its translations.")] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1; auto is a GPU where there is one.")
    ] = "auto",
) -> None:
    """Align the words of sentences and their translations.

    Online methods show the model the translation and read off the links; naive-att, prior-att and post-aln
    know the link of a word with the word, shift-att and shift-aet one word later. hmm-agreement,
    fast-align, hmm and ibm4 learn from the text itself and need much of it.

    Example: lexalign align test.de test.en --model de-en --words words --output test.links
    """
    from lexalign.translator.word_aligner import read_words

    if symmetrize == "mean" and threshold == 0:
        raise LexalignError("--threshold 0 with --symmetrize mean would link all words with all; give more")
    if reverse_model is not None and symmetrize is None and method not in _OFFLINE:
        raise LexalignError("--reverse-model and --symmetrize go together")
    if model is not None and (reverse_model is None) != (symmetrize is None) and method not in _OFFLINE:
        raise LexalignError("--reverse-model and --symmetrize go together")
    if (learn_source is None) != (learn_target is None):
        raise LexalignError("--learn-source and --learn-target go together")
    pairs = ((read_words(first, words), read_words(second, words)) for first, second in _read(source, target))
    if method in _OFFLINE:
        offline = cast("OfflineMethod", method)
        found = _offline(list(pairs), offline, symmetrize, learn_source, learn_target, device)
    else:
        from lexalign.alignment.links import LinkOptions
        from lexalign.alignment.posteriors import LIKELY

        def sample() -> str:
            return beginning(first for first, _ in _read(source, target))

        if symmetrize is not None and model is None and reverse_model is None:
            models: tuple[ChosenModel, ...] = choose_both_models(source_language, target_language, sample)
        else:
            models = (choose_model(model, source_language, target_language, sample),)
            if reverse_model is not None:
                models += (choose_model(reverse_model, target_language, source_language, sample),)
        aligners = _load(
            models,
            cast("OnlineMethod", method),
            layer,
            pin_marks,
            LinkOptions(end=end, threshold=threshold),
            device,
        )
        found = _online(pairs, aligners, symmetrize, LIKELY if threshold is None else threshold)
    with open_output(output, flush=False) as write:
        for pair, aligned in found:
            write(_line(pair, aligned, output_format))


def _read(source: Path, target: Path | None) -> Iterator[tuple[str, str]]:
    from lexalign.data.reader import ParallelText, read_lines

    if target is not None:
        yield from ParallelText(source, target).read()
        return
    for number, line in enumerate(read_lines(source), start=1):
        parts = line.split(" ||| ") if " ||| " in line else line.split("|||")
        if len(parts) != 2:
            raise LexalignError(f"{source}, line {number}: not `source ||| target`; or give a second file")
        yield parts[0].strip(), parts[1].strip()


def _load(
    models: Sequence[ChosenModel],
    method: "OnlineMethod",
    layer: int | None,
    pin_marks: bool,
    options: "LinkOptions",
    device: str,
) -> list["WordAligner"]:
    from lexalign.translator.word_aligner import WordAligner

    return [
        WordAligner.load(
            model.folder,
            method,
            device=device,
            layer=None if layer is None else layer - 1,
            options=options,
            pin_marks=pin_marks,
            languages=model.languages,
        )
        for model in models
    ]


def _online(
    pairs: Iterator[TextPair],
    aligners: Sequence["WordAligner"],
    symmetrize: "Joining | None",
    likely: float,
) -> Iterator[tuple[TextPair, "WordAlignment"]]:
    from lexalign.translator.mutual_alignment import symmetrized

    first = 1  # line of the window
    while window := list(islice(pairs, _WINDOW)):
        ahead = (one.words for one in aligners[0].align(window, first_line=first))
        if symmetrize is None:
            yield from zip(window, ahead, strict=True)
        else:
            swapped = [(target, source) for source, target in window]
            back = (one.words for one in aligners[1].align(swapped, first_line=first))
            for pair, forward, backward in zip(window, ahead, back, strict=True):
                yield pair, symmetrized(forward, backward, symmetrize, likely)
        first += len(window)


def _offline(
    pairs: Sequence[TextPair],
    method: "OfflineMethod",
    symmetrize: "Joining | None",
    learn_source: Path | None,
    learn_target: Path | None,
    device: str,
) -> Iterator[tuple[TextPair, "WordAlignment"]]:
    from lexalign.data.reader import ParallelText
    from lexalign.models.folder import parse_device
    from lexalign.translator.mutual_alignment import align_statistically

    corpus: Iterable[SentencePair] = ()
    if learn_source is not None and learn_target is not None:
        corpus = ((one.split(), two.split()) for one, two in ParallelText(learn_source, learn_target).read())
    units = [(source.words, target.words) for source, target in pairs]
    found = align_statistically(
        units, corpus, method, symmetrize, parse_device(device), lambda line: typer.echo(line, err=True)
    )
    return zip(pairs, found, strict=True)


def _line(pair: TextPair, aligned: "WordAlignment", output_format: FormatName) -> str:
    from lexalign.alignment.formats import json_line, pharaoh_line, span_line, talp_line
    from lexalign.alignment.words import span_links

    links: Sequence[Link] = aligned.links
    match output_format:
        case "json":
            return json_line(links, source=aligned.source, target=aligned.target)
        case "spans":
            return span_line(span_links(links, pair[0].line_spans, pair[1].line_spans))
        case "talp":
            return talp_line(links)
    return pharaoh_line(links, probabilities=output_format == "probabilities")
