"""`lexalign align`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from lexalign.bundled.cache import find_folder
from lexalign.cli.groups import names_below
from lexalign.cli.messages import say
from lexalign.cli.options.alignment import Layer, attention_place, note_missing_head
from lexalign.cli.options.computation import Device
from lexalign.cli.options.model_choice import (
    ChosenModel,
    ReverseModelFolder,
    SourceLanguage,
    TargetLanguage,
    choose_both_models,
    choose_model,
    sample_of_lines,
)
from lexalign.cli.options.parallel_text import read_pairs
from lexalign.cli.options.sections import ALIGNMENT
from lexalign.cli.output.line_writer import open_output
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.alignment.statistical import SentencePair
    from lexalign.contracts.alignment import Link, WordAlignment
    from lexalign.translator.mutual_alignment import Joining, OfflineMethod
    from lexalign.translator.options import AlignerName
    from lexalign.translator.word_aligner import WordAligner, WordText

MethodName = Literal[
    "auto",
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
_STATISTICAL = ("fast-align", "hmm-agreement", "hmm", "ibm4")
_WINDOW = 2000  # sentence pairs that are sorted by length together

TextPair = tuple["WordText", "WordText"]


def align(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="Source sentences; or, without a second file, lines `source ||| target`.",
            autocompletion=names_below("plot"),
        ),
    ],
    target: Annotated[
        Path | None, typer.Argument(metavar="TARGET", help="Target sentences, line by line.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Folder or name of the model; by default a bundled or downloaded one. Statistical methods "
            "need none.",
        ),
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    method: Annotated[
        MethodName,
        typer.Option(
            help="Alignment method; auto is the model's post-aln head or, without one, shift-att.",
            rich_help_panel=ALIGNMENT,
        ),
    ] = "auto",
    words: Annotated[
        Literal["raw", "words", "characters"],
        typer.Option(
            help="Form of the text: running text (raw), tokens separated by spaces (words), or the same in a "
            "language that is written without spaces (characters)."
        ),
    ] = "raw",
    output_format: Annotated[
        FormatName,
        typer.Option(
            "--format",
            help="Links as 0-0 (pharaoh), 0-0:0.9 (probabilities), talp, JSON lines, or character spans.",
        ),
    ] = "pharaoh",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output file; written only once everything is aligned."
        ),
    ] = None,
    reverse_model: ReverseModelFolder = None,
    symmetrize: Annotated[
        SymmetrizationName | None,
        typer.Option(
            help="Symmetrization of both directions: mean of their probabilities, or a heuristic on links.",
            rich_help_panel=ALIGNMENT,
        ),
    ] = None,
    layer: Layer = None,
    pin_marks: Annotated[
        bool,
        typer.Option(
            help="shift-att: align final punctuation only with final punctuation.", rich_help_panel=ALIGNMENT
        ),
    ] = True,
    end: Annotated[
        Literal["masked", "null"],
        typer.Option(
            help="A word aligned to the end of the sentence gets its next best link (masked) or none (null).",
            rich_help_panel=ALIGNMENT,
        ),
    ] = "masked",
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Minimum probability of a link; by default the one found when the head was trained, and 0.5 "
            "with --symmetrize mean.",
            rich_help_panel=ALIGNMENT,
        ),
    ] = None,
    learn_source: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Additional source sentences to train a statistical aligner."),
    ] = None,
    learn_target: Annotated[Path | None, typer.Option(metavar="FILE", help="Their target sentences.")] = None,
    device: Device = "auto",
) -> None:
    """Align the words of sentences and their translations.

    naive-att, shift-att, prior-att, shift-aet and post-aln use a translation model: they score the given
    translation and read the links from the model. hmm-agreement, fast-align, hmm and ibm4 are statistical
    methods, which are trained on the text itself and need much of it.

    Example: lexalign align test.de test.en --model de-en --words words --output test.links
    """
    statistical = method in _STATISTICAL
    _check_options(model, reverse_model, symmetrize, threshold, statistical)
    if (learn_source is None) != (learn_target is None):
        raise LexalignError("--learn-source and --learn-target go together")
    from lexalign.translator.word_aligner import read_words

    pairs = (
        (read_words(first, words), read_words(second, words)) for first, second in read_pairs(source, target)
    )
    if statistical:
        offline = cast("OfflineMethod", method)
        found = _align_statistically(list(pairs), offline, symmetrize, learn_source, learn_target, device)
    else:
        from lexalign.alignment.links import LinkOptions
        from lexalign.alignment.posteriors import LINK_THRESHOLD
        from lexalign.translator.word_aligner import WordAligner

        chosen_models = _choose_models(
            (model, reverse_model),
            (source_language, target_language),
            lambda: _sample(source, target),
            both=symmetrize is not None,
        )
        for chosen in chosen_models:
            note_missing_head(chosen.folder, method, (chosen.source, chosen.target))
        aligners = [
            WordAligner.load(
                chosen.folder,
                cast("AlignerName", method),
                device=device,
                place=attention_place(layer),
                options=LinkOptions(end=end, threshold=threshold),
                pin_marks=pin_marks,
                languages=chosen.languages,
            )
            for chosen in chosen_models
        ]
        found = _align_by_model(
            pairs, aligners, symmetrize, LINK_THRESHOLD if threshold is None else threshold
        )
    with open_output(output, flush=False) as write:
        for pair, aligned in found:
            write(_line(pair, aligned, output_format))


def _sample(source: Path, target: Path | None) -> str:
    if source.is_dir():
        raise LexalignError(f"{source} is a folder; give a file of sentences")
    if source.exists() and not source.is_file():  # such as a pipe
        raise LexalignError(f"{source} can be read only once; give its language with --from LANGUAGE")
    return sample_of_lines(first for first, _ in read_pairs(source, target))


def _check_options(
    model: Path | None,
    reverse_model: Path | None,
    symmetrize: SymmetrizationName | None,
    threshold: float | None,
    statistical: bool,
) -> None:
    if symmetrize == "mean" and threshold == 0:
        raise LexalignError(
            "--threshold 0 with --symmetrize mean links every word with every word; give a higher one"
        )
    lacks_symmetrization = reverse_model is not None and symmetrize is None
    # Without --model, the reverse model is a bundled one too.
    lacks_reverse_model = symmetrize is not None and reverse_model is None and model is not None
    if not statistical and (lacks_symmetrization or lacks_reverse_model):
        raise LexalignError("--reverse-model and --symmetrize go together")


def _choose_models(
    models: tuple[Path | None, Path | None],
    languages: tuple[str | None, str | None],
    sample: Callable[[], str],
    both: bool,
) -> tuple[ChosenModel, ...]:
    (model, reverse), (source, target) = models, languages
    if both and model is None and reverse is None:
        return choose_both_models(source, target, sample)
    chosen = choose_model(model, source, target, sample)
    return (chosen,) if reverse is None else (chosen, choose_model(reverse, target, source, sample))


def _align_by_model(
    pairs: Iterator[TextPair],
    aligners: Sequence["WordAligner"],
    symmetrize: "Joining | None",
    likely: float,
) -> Iterator[tuple[TextPair, "WordAlignment"]]:
    from lexalign.translator.mutual_alignment import symmetrized

    first = 1  # first line of the window
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


def _align_statistically(
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
    found = align_statistically(units, corpus, method, symmetrize, parse_device(device), say)
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
