"""The files of a Marian model in a folder: weights, vocabularies and a lexical shortlist.

A YAML file of a decoder's options names them (`models`, `vocabs`, `shortlist`). Without one they are found by
their names:

    model.ende.intgemm.alphas.bin   vocab.ende.spm   lex.50.50.ende.s2t.bin              Firefox
    ...   srcvocab.enja.spm, trgvocab.enja.spm                                           Firefox, two of them
    ...npz   ...vocab.yml   source.spm   target.spm                                      OPUS-MT

Each may be gzipped, with `.gz` at the end of its name.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context
from lexalign.interop.marian_nmt.tensors import is_marian, read_content
from lexalign.interop.marian_nmt.yaml_files import read_yaml
from lexalign.text.languages import is_language, primary
from lexalign.text.subwords import Languages

_PAIR = re.compile(r"(?:^|[._-])([a-z]{2})([a-z]{2})(?:$|[._-])")
_SHORTLIST = "lex"


@dataclass(frozen=True, kw_only=True)
class MarianFiles:
    model: Path
    vocabularies: tuple[Path, Path]
    shortlist: Path | None
    limits: tuple[int, int] = (100, 100)  # of a shortlist in text: frequent words, and words for each word

    @property
    def languages(self) -> Languages | None:
        """As the names of the files say, such as `model.ende.bin`."""
        for name in (self.model.name, self.model.parent.name):
            for source, target in _PAIR.findall(name):
                if is_language(source) and is_language(target):
                    return primary(source), primary(target)
        return None


def find_model(path: Path) -> Path | None:
    """The weights of a Marian model: the path itself, or the only ones in a folder."""
    if path.is_file():
        return path if is_marian(path) else None
    weights = [one for one in _by_name(path, (".bin", ".npz")) if not one.name.startswith(_SHORTLIST)]
    found = [one for one in weights if is_marian(one)]
    if len(found) > 1:
        named = [one for one in found if one.name in _named_models(path)]
        if len(named) != 1:
            names = ", ".join(one.name for one in found[:4])
            raise LexalignError(f"{path}: several Marian models ({names}); give the path of one of them")
        return named[0]
    return found[0] if found else None


def find_files(model: Path) -> MarianFiles:
    folder = model.parent
    options = _decoder_options(folder, model)
    shortlist = options.get("shortlist")
    named = shortlist if isinstance(shortlist, list) else [shortlist] if shortlist else []
    if named and str(named[0]).lower() != "false":
        found: Path | None = _named(folder, str(named[0]))
        numbers = [int(one) for one in named[1:3] if str(one).isdecimal()]
        limits = (numbers[0], numbers[1]) if len(numbers) == 2 else (100, 100)
    else:
        found, limits = _only(_by_name(folder, (".bin", ".s2t"), _SHORTLIST)), (100, 100)
    return MarianFiles(
        model=model, vocabularies=_vocabularies(folder, options), shortlist=found, limits=limits
    )


def _vocabularies(folder: Path, options: dict[str, Any]) -> tuple[Path, Path]:
    names = options.get("vocabs")
    if isinstance(names, list) and len(names) >= 2:
        return _named(folder, str(names[0])), _named(folder, str(names[-1]))
    pair = [_only(_by_name(folder, (".spm",), f"{side}vocab")) for side in ("src", "trg")]
    if pair[0] and pair[1]:
        return pair[0], pair[1]
    one = _only(_by_name(folder, (".spm",), "vocab")) or _only(
        [path for path in _by_name(folder, (".yml", ".yaml")) if "vocab" in path.name]
    )
    if one is None:
        raise LexalignError(
            f"{folder}: the vocabulary is missing (vocab.*.spm, srcvocab.*.spm and trgvocab.*.spm, or "
            "*vocab.yml)"
        )
    return one, one


def _decoder_options(folder: Path, model: Path) -> dict[str, Any]:
    """The options of the file that names this model."""
    for path in _by_name(folder, (".yml", ".yaml")):
        if "vocab" in path.name:
            continue
        with error_context(path):
            options = read_yaml(read_content(path))
        names = options.get("models")
        if isinstance(names, list) and Path(str(names[0])).name in (model.name, model.name[: -len(".gz")]):
            return options
    return {}


def _named_models(folder: Path) -> set[str]:
    found = set()
    for path in _by_name(folder, (".yml", ".yaml")):
        if "vocab" not in path.name:
            names = read_yaml(read_content(path)).get("models")
            found |= {Path(str(name)).name for name in names} if isinstance(names, list) else set()
    return found | {f"{name}.gz" for name in found}


def _named(folder: Path, name: str) -> Path:
    """A file that the options name; paths in them are often those of another machine."""
    for path in (folder / Path(name).name, folder / f"{Path(name).name}.gz"):
        if path.is_file():
            return path
    raise LexalignError(f"{folder / Path(name).name} is missing; the model's options name it")


def _by_name(folder: Path, suffixes: tuple[str, ...], start: str = "") -> list[Path]:
    """Files of a folder, gzipped or not, whose names begin and end so."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.startswith(start) and path.name.removesuffix(".gz").endswith(suffixes) and path.is_file()
    )


def _only(paths: list[Path]) -> Path | None:
    return paths[0] if len(paths) == 1 else None
