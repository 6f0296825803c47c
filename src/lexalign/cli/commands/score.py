"""`lexalign score`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexalign import __version__
from lexalign.bundled.cache import find_folder
from lexalign.cli.options.computation import Device
from lexalign.cli.options.model_choice import language_pair
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.metrics.quality import Score
    from lexalign.translator import ScoredTarget


def score(
    hypothesis: Annotated[Path, typer.Argument(metavar="HYPOTHESIS", help="Translations, one per line.")],
    reference: Annotated[
        Path, typer.Argument(metavar="REFERENCE", help="Reference translations, line by line.")
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Model that scores the hypotheses, by its folder or name.",
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Source sentences, for the model.")
    ] = None,
    source_language: Annotated[
        str | None,
        typer.Option("--from", metavar="LANGUAGE", help="Source language of a multilingual model."),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option("--to", metavar="LANGUAGE", help="Target language of a multilingual model."),
    ] = None,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON object instead of a table.")] = False,
) -> None:
    """Score translations by BLEU and chrF, from sacreBLEU, with their signatures.

    With --model and --source, the mean log-probability per token (in nats) that the model assigns to the
    hypotheses is added; it includes the end of each sentence.

    Example: lexalign evaluate score translated.en reference.en
    """
    if (model is None) != (source is None):
        raise LexalignError("--model and --source go together")
    from lexalign.data.reader import ParallelText
    from lexalign.metrics.quality import bleu, chrf

    pairs = list(ParallelText(hypothesis, reference).read())
    hypotheses = [pair[0] for pair in pairs]
    references = [pair[1] for pair in pairs]
    scores = [bleu(hypotheses, references), chrf(hypotheses, references)]
    forced: list[ScoredTarget] = []
    if model is not None and source is not None:
        from lexalign.translator import Translator

        sources = [pair[0] for pair in ParallelText(source, hypothesis).read()]
        languages = language_pair(source_language, target_language)
        translator = Translator.load(model, device=device, languages=languages)
        forced = translator.score(sources, hypotheses)
        scores.append(_mean(forced, model))
    typer.echo(_as_json(scores, forced) if as_json else _as_table(scores))


def _mean(forced: list["ScoredTarget"], model: Path) -> "Score":
    from lexalign.metrics.quality import Score

    num_tokens = sum(len(target.tokens) + 1 for target in forced)
    total = sum(target.log_probability for target in forced)
    signature = f"model:{model.resolve().name}|mean:token|tokens:{num_tokens}|version:{__version__}"
    return Score(name="log-probability", value=total / num_tokens, signature=signature)


def _as_table(scores: list["Score"]) -> str:
    return "\n".join(f"{score.name:<16}{score.value:>8.2f}  {score.signature}" for score in scores)


def _as_json(scores: list["Score"], forced: list["ScoredTarget"]) -> str:
    content: dict[str, Any] = {"scores": [asdict(score) for score in scores]}
    if forced:
        content["sentences"] = [asdict(target) for target in forced]
    return json.dumps(content, ensure_ascii=False)
