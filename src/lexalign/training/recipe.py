"""Everything that decides what a run learns, readable from a TOML file.

[model]
width = 256
[training]
updates = 20000
[tokenizer]
vocabulary_size = 8000
[filters]
max_ratio = 3.0
"""

import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.models.config import ModelConfig
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.options import TrainingOptions

Options = TypeVar("Options", TrainingOptions, TokenizerOptions, FilterOptions)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    model: dict[str, Any] = field(
        default_factory=dict
    )  # fields of ModelConfig other than the vocabulary's size
    training: TrainingOptions = field(default_factory=TrainingOptions)
    tokenizer: TokenizerOptions = field(default_factory=TokenizerOptions)
    filters: FilterOptions = field(default_factory=FilterOptions)

    def model_config(self, vocabulary_size: int) -> ModelConfig:
        return ModelConfig.from_dict({**self.model, "vocabulary_size": vocabulary_size})

    @classmethod
    def read(cls, path: Path) -> "Recipe":
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise LexalignError(f"cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LexalignError(f"{path}: not TOML ({error})") from None
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(tables) - known):
            raise LexalignError(
                f"{path}: unknown table [{unknown[0]}]; choose from {', '.join(sorted(known))}"
            )
        for name, table in tables.items():
            if not isinstance(table, dict):
                raise LexalignError(f"{path}: {name} is {table!r}; expected a table [{name}]")
        return cls(
            model=tables.get("model", {}),
            training=_options(TrainingOptions(), tables.get("training", {}), path),
            tokenizer=_options(TokenizerOptions(), tables.get("tokenizer", {}), path),
            filters=_options(FilterOptions(), tables.get("filters", {}), path),
        )


def _options(defaults: Options, values: dict[str, Any], path: Path) -> Options:
    known = {entry.name: getattr(defaults, entry.name) for entry in fields(defaults)}
    for name, value in values.items():
        if name not in known:
            raise LexalignError(f"{path}: unknown option {name}; choose from {', '.join(known)}")
        try:
            values[name] = _like(known[name], value)
        except TypeError:
            raise LexalignError(
                f"{path}: {name} is {value!r}; expected something like {known[name]!r}"
            ) from None
    return replace(defaults, **values)


def _like(default: Any, value: Any) -> Any:
    """A value in the type of its default; TOML has no tuples, and writes 1 for 1.0."""
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(_like(default[0], element) for element in value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if type(value) is not type(default):
        raise TypeError
    return value
