"""The tokenizer of an imported model on disk: a folder of `tokenizer.json` and the files that it names.

A vocabulary is a JSON list of pieces, in the order of their ids. Source and target may share their files.
"""

import json
from pathlib import Path
from typing import Any, get_args

from lexalign.contracts.errors import LexalignError
from lexalign.storage import new_folder
from lexalign.text.foreign.segmenters import (
    HubSegmenter,
    Segmenter,
    SentencePieceSegmenter,
    SpaceSegmenter,
)
from lexalign.text.foreign.side import ForeignSide
from lexalign.text.foreign.spellings import SpellingName
from lexalign.text.foreign.tokenizer import ForeignTokenizer, LanguageCodes

FORMAT = 1
DESCRIPTION = "tokenizer.json"
_SEGMENTERS = {one.suffix: one for one in (SentencePieceSegmenter, HubSegmenter, SpaceSegmenter)}


def save_foreign(tokenizer: ForeignTokenizer, path: Path) -> None:
    with new_folder(path) as folder:
        source = _write_side(tokenizer.source_side, folder, "source")
        shared = tokenizer.target_side is tokenizer.source_side
        codes = tokenizer.codes
        description = {
            "format": FORMAT,
            "source": source,
            "target": source if shared else _write_side(tokenizer.target_side, folder, "target"),
            "source_prefix": tokenizer.source_prefix,
            "languages": dict(codes.ids),
            "code_before_source": codes.before_source,
            "code_before_target": codes.before_target,
            "usual_languages": codes.default,
        }
        _write(folder / DESCRIPTION, description)


def load_foreign(path: Path) -> ForeignTokenizer:
    try:
        values = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
        if values["format"] != FORMAT:
            raise LexalignError(
                f"{path}: tokenizer format {values['format']}; this version of lexalign reads format {FORMAT}"
            )
        source = _read_side(path, values["source"])
        shared = values["target"] == values["source"]
        usual = values["usual_languages"]
        return ForeignTokenizer(
            source_side=source,
            target_side=source if shared else _read_side(path, values["target"]),
            source_prefix=tuple(values["source_prefix"]),
            codes=LanguageCodes(
                ids=values["languages"],
                before_source=values["code_before_source"],
                before_target=values["code_before_target"],
                default=None if usual is None else (usual[0], usual[1]),
            ),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise LexalignError(f"{path}: not a complete tokenizer ({error!r}); import the model again") from None


def _write_side(side: ForeignSide, folder: Path, name: str) -> dict[str, Any]:
    model, vocabulary = name + side.segmenter.suffix, f"{name}.vocabulary.json"
    (folder / model).write_bytes(side.segmenter.content)
    _write(folder / vocabulary, list(side.vocabulary))
    return {
        "model": model,
        "vocabulary": vocabulary,
        "spelling": side.spelling,
        "unknown": side.unk_id,
        "controls": sorted(side.controls),
    }


def _read_side(path: Path, values: dict[str, Any]) -> ForeignSide:
    model = path / values["model"]
    vocabulary = json.loads((path / values["vocabulary"]).read_text(encoding="utf-8"))
    if values["spelling"] not in get_args(SpellingName):
        raise LexalignError(f"{path}: unknown spelling {values['spelling']!r}")
    try:
        segmenter: Segmenter = _SEGMENTERS[model.suffix](model.read_bytes())
    except LexalignError as error:
        raise LexalignError(f"{model}: {error}") from None
    return ForeignSide(
        segmenter,
        vocabulary,
        unk_id=values["unknown"],
        controls=values["controls"],
        spelling=values["spelling"],
    )


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
