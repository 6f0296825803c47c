"""The schedule, the bounds of the options, and recipes that are not quite right."""

import math
from pathlib import Path
from typing import Any

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.training.options import TrainingOptions, inverse_square_root, scheduled_rate
from lexalign.training.recipe import Recipe


@pytest.mark.parametrize(
    ("update", "expected"), [(1, 0.001), (5, 0.005), (10, 0.01), (40, 0.005), (1000, 0.001)]
)
def test_the_rate_rises_in_a_line_and_falls_with_the_root(update: int, expected: float) -> None:
    options = TrainingOptions(learning_rate=0.01, warmup=10)
    assert inverse_square_root(update, options) == pytest.approx(expected)


@pytest.mark.parametrize("warmup", [0, 1])
def test_without_warmup_the_first_rate_is_the_highest(warmup: int) -> None:
    options = TrainingOptions(learning_rate=0.01, warmup=warmup)
    rates = [inverse_square_root(update, options) for update in (1, 2, 4)]
    assert rates == pytest.approx([0.01, 0.01 / math.sqrt(2), 0.005])


def test_the_rate_falls_to_zero_at_the_end_of_the_updates() -> None:
    options = TrainingOptions(updates=100, learning_rate=0.01, warmup=10, cooldown=0.2)
    for update in range(1, 81):
        assert scheduled_rate(update, 1e9, options) == inverse_square_root(update, options)
    shares = [scheduled_rate(n, 0.0, options) / inverse_square_root(n, options) for n in range(81, 101)]
    assert shares == pytest.approx([left / 20 for left in range(20, 0, -1)])


def test_the_rate_falls_to_zero_at_the_end_of_the_minutes() -> None:
    options = TrainingOptions(updates=10**9, minutes=2, learning_rate=0.01, warmup=10, cooldown=0.25)
    usual = inverse_square_root(40, options)
    for seconds, share in {0: 1, 90: 1, 100: 2 / 3, 105: 0.5, 120: 0, 121: 0}.items():
        assert scheduled_rate(40, seconds, options) == pytest.approx(usual * share, abs=1e-9)


def test_what_comes_first_ends_a_run() -> None:
    options = TrainingOptions(updates=10, minutes=2, learning_rate=0.01, warmup=1, cooldown=1)
    by_updates, by_time = scheduled_rate(6, 0.0, options), scheduled_rate(6, 90.0, options)
    assert (by_updates, by_time) == pytest.approx([inverse_square_root(6, options) * x for x in (0.5, 0.25)])


@pytest.mark.parametrize("name", ["updates", "batch_tokens", "accumulate", "save_every", "average"])
def test_counts_are_at_least_one(name: str) -> None:
    changes: dict[str, Any] = {name: 0}
    with pytest.raises(LexalignError, match=f"{name} is 0"):
        TrainingOptions(**changes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("warmup", -1),
        ("minutes", -0.5),
        ("cooldown", 1.5),
        ("weight_decay", -0.1),
        ("clip_norm", -1.0),
        ("patience", -1),
        ("seed", -1),
        ("label_smoothing", 1.0),
        ("adam_betas", (0.9,)),
        ("adam_betas", (0.9, 1.0)),
    ],
)
def test_what_makes_no_sense_is_named(name: str, value: object) -> None:
    changes: dict[str, Any] = {name: value}
    with pytest.raises(LexalignError, match=f"^{name} is "):
        TrainingOptions(**changes)


def read(folder: Path, text: str) -> Recipe:
    path = folder / "recipe.toml"
    path.write_text(text)
    return Recipe.read(path)


def test_a_recipe_is_read_into_options(tmp_path: Path) -> None:
    recipe = read(
        tmp_path,
        """
        model = { width = 64, dropout = 0 }
        [training]
        learning_rate = 1
        adam_betas = [0, 0.5]
        compile = true
        [tokenizer]
        kind = "unigram"
        [filters]
        max_ratio = 2
        """,
    )
    assert recipe.training == TrainingOptions(learning_rate=1.0, adam_betas=(0.0, 0.5), compile=True)
    assert isinstance(recipe.training.learning_rate, float)
    assert isinstance(recipe.filters.max_ratio, float)
    assert recipe.tokenizer.kind == "unigram"
    config = recipe.model_config(300)
    assert (config.width, config.dropout, config.vocabulary_size) == (64, 0, 300)


def test_an_empty_recipe_is_the_papers(tmp_path: Path) -> None:
    assert read(tmp_path, "") == Recipe()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[trainings]", r"unknown table \[trainings\]; choose from filters, model, tokenizer, training"),
        ("training = 3", r"training is 3; expected a table \[training\]"),
        ("[training]\nlerning_rate = 1.0", "unknown option lerning_rate; choose from updates, "),
        ("[filters]\nmax_ration = 1.0", "unknown option max_ration"),
        ("[training]\nupdates = 1.5", "updates is 1.5; expected something like 50000"),
        ("[training]\nupdates = true", "updates is True; expected"),
        ("[training]\nupdates = [1]", r"updates is \[1\]; expected"),
        ("[training]\ncompile = 1", "compile is 1; expected something like False"),
        ("[training]\nlearning_rate = '1e-3'", "learning_rate is '1e-3'; expected"),
        ("[training]\nadam_betas = 0.9", "adam_betas is 0.9; expected"),
        ("[training]\nadam_betas = ['a', 'b']", r"adam_betas is \['a', 'b'\]; expected"),
        ("[training]\nupdates = 0", "updates is 0; it must be at least 1"),
        ("[training", "recipe.toml: not TOML"),
    ],
)
def test_a_mistake_in_a_recipe_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        read(tmp_path, text)


def test_an_unknown_option_of_the_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="widht"):
        read(tmp_path, "[model]\nwidht = 3").model_config(300)


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"cannot read .*none\.toml: No such file"):
        Recipe.read(tmp_path / "none.toml")
