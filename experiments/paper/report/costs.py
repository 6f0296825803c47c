"""What the stages cost, and what every number was measured with."""

from typing import Any

from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS, Setting
from experiments.paper.report.devices import devices
from experiments.paper.report.markdown import MISSING, Results, arrow, number, table, text_of
from experiments.paper.stages import STAGES

EUROS_PER_HOUR = 3.0  # of one GPU, as rented by the hour


def sections(results: Results) -> list[str]:
    measured = [pair for pair in PAIRS if results[pair]]
    if not measured:
        return []
    return [
        "## Training",
        _recipe(),
        _trainings(results, measured),
        "## Cost",
        _costs(results, measured),
        "## Signatures",
        _signatures(results, measured),
    ]


def _recipe() -> str:
    """What all pairs have in common."""
    setting = Setting()
    training, heads = setting.recipe.training, setting.heads
    tokenizer = setting.recipe.tokenizer
    model = setting.recipe.model_config(tokenizer.vocabulary_size)
    return (
        "All pairs have one recipe (`Setting` in `experiments/paper/pipeline/pairs.py`). Models have "
        f"{model.encoder_layers} + {model.decoder_layers} layers of width {model.width}, norms before the "
        f"sub-layers, dropout {model.dropout:g} and a joint vocabulary of {tokenizer.vocabulary_size:,}, and "
        f"learn from {training.updates:,} updates of {training.batch_tokens:,} tokens; the learning rate "
        f"rises to {training.learning_rate:g} within {training.warmup:,} updates, and the last "
        f"{training.average} models are averaged. Heads have {heads.updates:,} updates of "
        f"{heads.batch_tokens:,} tokens a round, from up to {setting.head_pairs:,} pairs; those of the first "
        "round are taught by the attention of single heads, and the links of our HMM have a say in the "
        "second."
    )


def _trainings(results: Results, measured: list[str]) -> str:
    """The trainings, by the logs of the runs themselves."""
    rows = [
        [
            arrow(PAIRS[pair].direction(direction)) + PAIRS[pair].mark,
            *_training(results[pair]["train"]["result"][direction]),
        ]
        for pair in measured
        if "train" in results[pair]
        for direction in DIRECTIONS
    ]
    header = ["", "updates", "target tokens", "minutes", "loss", "BLEU"]
    text = (
        "Minutes are of updates, with compiling but not validating, on one GPU: two models at a time for "
        "ja-en, four for all other pairs. Loss (nats a token) and BLEU (greedy) are of the last "
        "validation, at a multiple of 2,000 updates, before models are averaged."
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
    text = text_of("costs").format(price=EUROS_PER_HOUR)
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
