"""Measure one point of the learning curve: the models of an update, with heads by the paper's rules.

    python -m experiments.studies.curve_points RUN 5600 --data corpora --work runs --to point.json

RUN is where the snapshots of the trainings are kept, as RUN/{forward,backward}/model-5600.safetensors; the
models are those of `experiments.paper.run de-en-paper`, whose data, vocabulary and token stores are used.
What is measured is what `learning_curve` draws.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from safetensors.torch import load_file

from experiments.paper.pipeline.attention import Models, load_models, validation_attention
from experiments.paper.pipeline.gold import GoldSet, read_gold
from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import score_aligners
from experiments.paper.stages.heads import share_tokens
from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.links import LinkOptions
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.models.folder import parse_device, save_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.checkpoint import load_weights
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.run import train_aligner
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.aligners import load_aligner
from lexalign.translator.word_aligner import WordAligner

PAIR = PAIRS["de-en-paper"]
HEADS = HeadOptions(updates=2_000, batch_tokens=18_000, pin_marks=False)
_NAMES = {"forward": "de-en", "backward": "en-de", "symmetrised": "both"}
_EVERY_LINK = LinkOptions(threshold=0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="where the snapshots are")
    parser.add_argument("point", help="the update, as their names have it")
    parser.add_argument("--data", type=Path, required=True, help="where de-en-paper/train.de ... are")
    parser.add_argument("--work", type=Path, required=True, help="where the experiment's work is")
    parser.add_argument("--to", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--device", default="auto", help="cpu, cuda; auto is a GPU if there is one")
    parser.add_argument("--no-heads", action="store_true", help="leave heads out")
    options = parser.parse_args(arguments)
    workspace = open_point(options.run, options.point, options.data, options.work, options.device)
    point = {"name": options.point, **measure(workspace)}
    if not options.no_heads:
        write_text(options.to, json.dumps(point, indent=2) + "\n")
        point["post_aln"] = {"paper": measure_heads(workspace, options.work, point["shift_att"]["layers"])}
    write_text(options.to, json.dumps(point, indent=2) + "\n")


def open_point(run: Path, point: str, data: Path, work: Path, device: str) -> Workspace:
    """A workspace whose models are those snapshots."""
    folder, whole = run / point, work / PAIR.name
    tokenizer = Tokenizer.load(whole / "tokenizer.model")
    workspace = Workspace(
        pair=PAIR,
        data=data / PAIR.name,
        folder=folder,
        results=folder / "results",
        device=str(parse_device(device)),
    )
    for direction in DIRECTIONS:
        model = Transformer(PAIR.recipe.model_config(tokenizer.vocabulary_size))
        load_weights(model, load_file(run / direction / f"model-{point}.safetensors"))
        save_model(workspace.model(direction), model, tokenizer, languages=PAIR.languages(direction))
    return workspace


def measure(workspace: Workspace) -> Result:
    models, gold = load_models(workspace), read_gold(workspace)
    held_out, marks = validation_attention(workspace, models)
    found = _translations(workspace, gold)
    for name, final_ids in (("shift_att", ()), ("shift_att_pinned", marks)):
        table = held_out.choose_layers(final_ids)["shift-att"]
        found[name] = {
            **_attention(workspace, gold, models, final_ids, table.best),
            "agreement": round(100 * table.least, 2),
        }
    return found


def _translations(workspace: Workspace, gold: GoldSet) -> Result:
    """BLEU of gold and validation text, beam 5, in both directions."""
    found: Result = {"bleu": {"gold": {}, "validation": {}}, "bleu_of_tokens": {"gold": {}, "validation": {}}}
    for direction in DIRECTIONS:
        translator = Translator.load(workspace.model(direction), device=workspace.device)
        turned, valid = gold.in_direction(direction), list(workspace.text("valid", direction).read())
        texts = {
            "gold": (turned.sources, turned.references),
            "validation": ([source for source, _ in valid], [target for _, target in valid]),
        }
        for name, (sources, references) in texts.items():
            outputs = [one.text for one in translator.translate(sources, TranslateOptions(beam=5).verbatim())]
            for key, tokenizer in (("bleu", "13a"), ("bleu_of_tokens", "none")):
                score = bleu_statistics(outputs, references, tokenizer=tokenizer).value
                found[key][name][_NAMES[direction]] = round(score, 2)
    return found


def _attention(
    workspace: Workspace, gold: GoldSet, models: Models, final_ids: tuple[int, ...], best: tuple[int, int]
) -> Result:
    """AER of ShiftATT by every layer, and of the two that agree best."""
    by_layer: dict[str, list[float]] = {"de-en": [], "en-de": []}
    chosen: Result = {}
    for layer in range(models["forward"][0].decoder_layers):
        scored = _scored(workspace, gold, models, (layer, layer), final_ids)
        for direction in DIRECTIONS:
            by_layer[_NAMES[direction]].append(scored[direction]["aer"])
    scored = _scored(workspace, gold, models, best, final_ids)
    chosen = {shown: scored[kind]["aer"] for kind, shown in _NAMES.items()}
    return {"aer_by_layer": by_layer, "layers": [layer + 1 for layer in best], "aer": chosen}


def _scored(
    workspace: Workspace,
    gold: GoldSet,
    models: Models,
    layers: tuple[int, int],
    final_ids: tuple[int, ...],
) -> Result:
    aligners = {
        direction: WordAligner(
            *models[direction], ShiftedAttention(layer=layer, sentence_final_ids=final_ids), _EVERY_LINK
        )
        for direction, layer in zip(DIRECTIONS, layers, strict=True)
    }
    return score_aligners(workspace, gold, aligners, "shift-att")


def measure_heads(workspace: Workspace, work: Path, layers: Sequence[int]) -> Result:
    """AER of PostAln, every subword linked, of heads that these layers (from 1) have taught."""
    folder = workspace.folder / "heads"
    share_tokens(work / PAIR.name / "forward" / "data", folder)
    forward, backward = (layer - 1 for layer in layers)
    train_aligner(
        workspace.model("forward"),
        workspace.model("backward"),
        [workspace.text("train")],
        workspace.text("valid"),
        folder,
        replace(HEADS, label_layers=(forward, backward)),
        filters=PAIR.recipe.filters,
        device=workspace.device,
    )
    models = load_models(workspace)
    aligners = {
        one: WordAligner(*model, load_aligner(workspace.model(one), *model, "post-aln"), _EVERY_LINK)
        for one, model in models.items()
    }
    scored = score_aligners(workspace, read_gold(workspace), aligners, "post-aln")
    report = json.loads((folder / "heads.json").read_text(encoding="utf-8"))
    return {
        "aer": {shown: scored[kind]["aer"] for kind, shown in _NAMES.items()},
        "agreement": round(100 * report["agreement"]["post-aln"], 2),
    }


if __name__ == "__main__":
    main()
