"""What the stages cost, and what every number was measured with."""

from typing import Any

from experiments.pairs import DIRECTIONS, PAIRS, Setting
from experiments.sections.devices import devices
from experiments.sections.markdown import MISSING, Results, arrow, number, table
from experiments.stages import STAGES
from lexalign.training.recipe import Recipe

EUROS_PER_HOUR = 3.0  # of one GPU, as rented by the hour


def sections(results: Results) -> list[str]:
    measured = [pair for pair in PAIRS if results[pair]]
    if not measured:
        return []
    return [
        "## Training",
        _settings(measured),
        _trainings(results, measured),
        "## Cost",
        _costs(results, measured),
        "## Signatures",
        _signatures(results, measured),
    ]


def _settings(measured: list[str]) -> str:
    """What tells the pairs' recipes apart."""
    rows = []
    for pair in measured:
        setting = PAIRS[pair].setting
        recipes = [one for one in (setting.recipe, setting.polish) if one is not None]
        parts = zip(*map(_recipe, recipes), strict=True)
        rows.append([pair, *(", then ".join(dict.fromkeys(cells)) for cells in parts), *_heads(setting)])
    header = ["", "tokens a batch", "learning rate", "reached after", "dropout", "norms", "mean of models"]
    header += ["heads taught by", "a second opinion", "from"]
    text = (
        "All models have 6 + 6 layers of width 512 and a joint vocabulary of 10,000. Heads have "
        f"{Setting().heads.updates:,} updates of {Setting().heads.batch_tokens:,} tokens a round:"
    )
    return f"{text}\n\n{table(header, rows)}"


def _recipe(recipe: Recipe) -> list[str]:
    training, model = recipe.training, recipe.model_config(recipe.tokenizer.vocabulary_size)
    return [
        f"{training.batch_tokens:,}",
        f"{training.learning_rate:g}",
        f"{training.warmup:,} updates",
        f"{model.dropout:g}",
        "before the sub-layers" if model.norm == "pre" else "behind them",
        f"the last {training.average}",
    ]


def _heads(setting: Setting) -> list[str]:
    return [
        "single heads" if setting.single_heads else "layers",
        "yes" if setting.heads.second_opinion else "no",
        "all pairs" if setting.head_pairs is None else f"up to {setting.head_pairs:,} pairs",
    ]


def _trainings(results: Results, measured: list[str]) -> str:
    """By the logs of the runs themselves."""
    rows = [
        [arrow("-".join(PAIRS[pair].languages(direction))), part, *_training(run)]
        for pair in measured
        if "train" in results[pair]
        for direction in DIRECTIONS
        for part, run in results[pair]["train"]["result"][direction].items()
    ]
    header = ["", "recipe", "updates", "target tokens", "minutes", "loss", "BLEU"]
    text = (
        "Minutes are of updates alone. Loss (nats a token) and BLEU are of the last validation, before "
        "models are averaged. A recipe is one run, or the paper's (first) and then another from there, with "
        "larger batches and less dropout (polish)."
    )
    return f"{text}\n\n{table(header, rows)}"


def _training(run: dict[str, Any]) -> list[str]:
    return [
        f"{run['updates']:,}",
        f"{run['target_tokens'] / 1e6:.0f}M",
        number(run["training_seconds"] / 60),
        number(run["valid_loss"], 3),
        number(run["valid_bleu"]),
    ]


def _costs(results: Results, measured: list[str]) -> str:
    rows = []
    for pair in measured:
        contents = [results[pair][stage] for stage in STAGES if stage in results[pair]]
        rows += [[pair, *_cost(content)] for content in contents]
    text = (
        f"Euros are {EUROS_PER_HOUR:.2f} an hour of the GPU. The paper: 15 to 20 hours to train a model, and "
        "3 to 6 hours for the alignment head, for each direction. Ours are both directions together, and "
        "what was run side by side on one GPU (two trainings, several beams of decode) counts in full: by "
        "the clock, all stages of ro-en and en-hi that need a GPU took 25 minutes of one, the training of "
        "ja-en 8.7 minutes, and that of ro-en and en-hi, four models side by side, 15 and 13, where a stage "
        "was to fit into ten. "
        "Training of de-en is without its first part, 23 minutes of updates. Host memory is the most that "
        "the process had held by the end of the stage, stages before it included; of beams that were "
        "decoded before their stage it was not kept."
    )
    header = ["pair", "stage", "minutes", "GPU memory, GiB", "host memory, GiB", "device", "euros"]
    return f"{text}\n\n{table(header, rows)}"


def _cost(content: dict[str, Any]) -> list[str]:
    cost = content["cost"]
    seconds, before = cost["seconds"], _searches(content["result"])
    if before > seconds:
        seconds, cost = before, {**cost, "host_peak_gib": None}
    euros = None if cost["gpu_peak_gib"] is None else seconds / 3600 * EUROS_PER_HOUR
    return [
        content["stage"],
        number(seconds / 60),
        number(cost["gpu_peak_gib"] or None),
        number(cost["host_peak_gib"]),
        devices(content),
        number(euros, 2),
    ]


def _searches(result: dict[str, Any]) -> float:
    """The seconds of a stage's searches, which may have been run before it, by other processes."""
    by_beam = result.get("seconds", {})
    return float(sum(sum(runs) for systems in by_beam.values() for runs in systems.values()))


def _signatures(results: Results, measured: list[str]) -> str:
    rows = []
    for pair in measured:
        for stage in STAGES:
            if stage in results[pair]:
                content = results[pair][stage]
                signature = "|".join(f"{key}:{value}" for key, value in content["signature"].items())
                rows.append(
                    [pair, stage, f"`{signature}|options:{content['fingerprint']}`", _metric(content)]
                )
    text = (
        "A signature is of the machine that ended the stage; what others have searched for decode is named "
        "under Cost, and the euros of such a stage are not counted. Metrics are signed for the first set of "
        "constraints."
    )
    return f"{text}\n\n{table(['pair', 'stage', 'signature', 'metric'], rows)}"


def _metric(content: dict[str, Any]) -> str:
    """The signature of the first number that has one of its own."""
    result = content["result"]
    if "methods" in result:
        first = next(iter(result["methods"].values()))
        return f"`{first['symmetrised']['signature']}`"
    if "sampled" in result:
        first = next(iter(next(iter(result["sampled"].values())).values()))
        return f"BLEU-C `{first['bleu_c_signature']}`, CSR `{first['csr_signature']}`"
    return MISSING
