"""The source and target language of a model folder.

`config.json` has them, beside the format: `"languages": {"source": "de", "target": "en"}`. Otherwise the
folder's name may have them: `models/de-en`, or `opus-mt-de-en` from a hub. Multilingual models have none; the
caller chooses.
"""

import json
import re
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LanguageError
from lexalign.text.languages import is_language, primary
from lexalign.text.subwords import Languages

_CONFIG, _TOKENIZER = "config.json", "tokenizer/tokenizer.json"
_NAME = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")
_HUB_NAME = re.compile(r".*opus-mt-(?:tc-)?(?:base-|big-|tiny-)*([a-z]{2,3})-([a-z]{2,3})", re.IGNORECASE)


def languages_of_folder(folder: Path) -> Languages | None:
    """The languages of the config, else of the folder's name; None for multilingual models and if unknown."""
    found = _read(folder / _CONFIG).get("languages")
    if isinstance(found, dict):
        source, target = found.get("source"), found.get("target")
        if isinstance(source, str) and isinstance(target, str):
            return primary(source), primary(target)
    return None if is_multilingual(folder) else languages_of_name(folder)


def is_multilingual(folder: Path) -> bool:
    return bool(_read(folder / _TOKENIZER).get("languages"))


def languages_of_name(folder: Path) -> Languages | None:
    name = folder.resolve().name
    found = _NAME.fullmatch(name) or _HUB_NAME.fullmatch(name)
    return (primary(found[1]), primary(found[2])) if found else None


def as_config(languages: Languages | None) -> dict[str, Any]:
    """The languages as an entry of a config; empty if they are unknown."""
    if languages is None:
        return {}
    source, target = map(primary, languages)
    return {"languages": {"source": source, "target": target}}


def languages_of_files(source: Path, target: Path | None) -> Languages | None:
    """The languages of two files by their suffixes: train.de and train.en.gz."""
    if target is None:
        return None
    found = [_language_suffix(path) for path in (source, target)]
    return (found[0], found[1]) if found[0] and found[1] and found[0] != found[1] else None


def _read(path: Path) -> dict[str, Any]:
    """The content of a JSON file; empty if it cannot be read, because loading the model reports the error."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _language_suffix(path: Path) -> str:
    suffixes = [suffix[1:] for suffix in path.suffixes if suffix not in (".gz", ".bz2", ".xz")]
    code = primary(suffixes[-1]) if suffixes else ""
    return code if is_language(code) else ""


def check_languages(folder: Path, known: Languages | None, requested: tuple[str | None, str | None]) -> None:
    """Raise an error if a model has other languages than those requested; None stands for any."""
    if known is None:
        return
    if any(wanted and primary(wanted) != primary(own) for wanted, own in zip(requested, known, strict=True)):
        wanted = " ".join(
            f"{flag} {code}" for flag, code in zip(("from", "to"), requested, strict=True) if code
        )
        refusal = f"{folder} translates from {known[0]} to {known[1]}, not {wanted}"
        raise LanguageError(
            f"{refusal}; leave out --from and --to, or give another --model",
            in_python=f"{refusal}; leave out the languages, or load another model",
        )
