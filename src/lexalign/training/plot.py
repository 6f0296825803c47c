"""The learning curve of a run, as a picture."""

from pathlib import Path

from lexalign.contracts.errors import MissingExtraError
from lexalign.storage import new_file
from lexalign.training.log import read_log


def plot_log(log: Path, picture: Path) -> None:
    """Training and validation loss against target tokens, and BLEU beside them."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing needs matplotlib: pip install 'lexalign[train]'") from None
    entries = read_log(log)
    train = [entry for entry in entries if entry["kind"] == "train"]
    valid = [entry for entry in entries if entry["kind"] == "valid"]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([e["update"] for e in train], [e["nll"] for e in train], color="#9db4c0", label="training loss")
    axes.plot(
        [e["update"] for e in valid],
        [e["loss"] for e in valid],
        "o-",
        color="#1f4e79",
        label="validation loss",
    )
    axes.set(xlabel="update", ylabel="nats per target token")
    axes.grid(alpha=0.3)
    scored = [entry for entry in valid if entry["bleu"] is not None]
    if scored:
        right = axes.twinx()
        right.plot(
            [e["update"] for e in scored], [e["bleu"] for e in scored], "s--", color="#c1666b", label="BLEU"
        )
        right.set_ylabel("validation BLEU (greedy)")
        right.set_ylim(bottom=0)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    with new_file(picture) as temporary:
        figure.savefig(temporary, dpi=150, format=picture.suffix.lstrip(".") or "png")
