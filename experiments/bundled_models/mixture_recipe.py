"""How much of each corpus a student learns from, and what is changed in it; read from a TOML file.

[times]
docs = 3
docs-mt = { de-en = 1, en-de = 0.5 }
[stand_ins]
docs = 0.4
[augmentation]
joined = 0.1
"""

import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from experiments.bundled_models.augmentation import AugmentationOptions
from lexalign.contracts.errors import LexalignError

_TABLES = ("times", "stand_ins", "augmentation")


@dataclass(frozen=True, kw_only=True)
class MixtureRecipe:
    """`times` and `stand_ins` go by the names of corpora."""

    times: dict[str, float | dict[str, float]] = field(default_factory=dict)
    stand_ins: dict[str, float] = field(default_factory=dict)
    augmentation: AugmentationOptions = field(default_factory=AugmentationOptions)

    def times_of(self, corpus: str, direction: str) -> float:
        """How often a corpus is in the text of a direction, such as `de-en`."""
        found = self.times.get(corpus, 1.0)
        return float(found.get(direction, 1.0) if isinstance(found, dict) else found)

    @classmethod
    def read(cls, path: Path) -> "MixtureRecipe":
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise LexalignError(f"cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LexalignError(f"{path}: not TOML ({error})") from None
        for name in tables:
            if name not in _TABLES or not isinstance(tables[name], dict):
                raise LexalignError(f"{path}: unknown table {name}; there are {', '.join(_TABLES)}")
        times, stand_ins = tables.get("times", {}), tables.get("stand_ins", {})
        for name, value in [*_numbers(times), *stand_ins.items()]:
            if type(value) not in (int, float) or value < 0:
                raise LexalignError(f"{path}: {name} is {value!r}; it must be a number and not negative")
        try:
            augmentation = AugmentationOptions(**tables.get("augmentation", {}))
        except TypeError as error:
            raise LexalignError(f"{path}: unknown option in [augmentation] ({error})") from None
        return cls(times=times, stand_ins=stand_ins, augmentation=augmentation)


def _numbers(times: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        pair
        for name, value in times.items()
        for pair in (value.items() if isinstance(value, dict) else [(name, value)])
    ]


def described(recipe: MixtureRecipe | None) -> dict[str, Any] | None:
    return None if recipe is None else asdict(recipe)
