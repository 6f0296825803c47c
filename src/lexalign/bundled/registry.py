"""The registry of models by language pair.

A model is a folder with its languages in its config or in its name, `de-en`. Models in folders that the
environment variable LEXALIGN_MODELS lists, separated as in PATH, come first, then downloaded ones, and then
the bundled ones, which are beside this module.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lexalign.bundled.cache import models_folder
from lexalign.contracts.errors import LanguageError, LexalignError, ModelNotFoundError
from lexalign.text.detection import detect
from lexalign.text.languages import primary
from lexalign.text.model_languages import languages_of_folder

_HERE = Path(__file__).parent
_ADVICE = "give a model of your own by --model DIR, or get one: lexalign models get NAME"
_ADVICE_IN_PYTHON = "give the folder of a model, or get one: lexalign.download(NAME)"

Direction = tuple[str, str]  # source and target language


def find_model(source: str, target: str) -> Path:
    """The folder of the model for a direction: `Translator.load(find_model("de", "en"))`."""
    return BundledModels.installed().find(source, target)


@dataclass(frozen=True)
class BundledModels:
    folders: dict[Direction, Path]

    @classmethod
    def installed(cls) -> "BundledModels":
        named = [Path(part) for part in os.environ.get("LEXALIGN_MODELS", "").split(os.pathsep) if part]
        for folder in named:
            if not folder.is_dir():
                raise LexalignError(f"LEXALIGN_MODELS names {folder}, and there is no such folder")
        downloaded = [models_folder()] if models_folder().is_dir() else []
        return cls.within(*named, *downloaded, _HERE)

    @classmethod
    def within(cls, *folders: Path) -> "BundledModels":
        """The models in some folders; of two models for one direction, the first."""
        found: dict[Direction, Path] = {}
        for folder in folders:
            for path in sorted(folder.iterdir()):
                if (path / "config.json").is_file() and (languages := languages_of_folder(path)):
                    found.setdefault(languages, path)
        return cls(found)

    def find(self, source: str, target: str) -> Path:
        direction = primary(source), primary(target)
        if direction not in self.folders:
            raise self._not_found(f"from {source} to {target} ")
        return self.folders[direction]

    def between(self, source: str | None, target: str | None) -> dict[Direction, Path]:
        """The models from and to the given languages, at least one; None stands for any language."""
        start, end = (language and primary(language) for language in (source, target))
        found = {
            direction: folder
            for direction, folder in self.folders.items()
            if start in (None, direction[0]) and end in (None, direction[1])
        }
        if not found:
            wanted = " ".join(f"{word} {code}" for word, code in (("from", source), ("to", target)) if code)
            raise self._not_found(f"{wanted} " if wanted else "")
        return found

    def choose(self, source: str | None, target: str | None, read_text: Callable[[], str]) -> Direction:
        """The direction for a text, which is read only if its language must be detected."""
        source = primary(source) if source else self._detect_source(target, read_text)
        target = primary(target) if target else None
        targets = sorted({end for start, end in self.folders if start == source})
        if target is None and len(targets) == 1:
            target = targets[0]
        if target is None and not targets:
            raise self._not_found(f"from {source} ")
        if target is None:
            which = " or ".join(targets)
            raise LanguageError(
                f"translate from {source} to {which}? say it by --to LANGUAGE; {self._offer()}",
                in_python=f"translate from {source} to {which}? say it by target=LANGUAGE",
            )
        self.find(source, target)
        return source, target

    def _detect_source(self, target: str | None, read_text: Callable[[], str]) -> str:
        sources = {start for start, _ in self.between(None, target)}
        if len(sources) == 1:
            return sources.pop()
        text = read_text()
        if not text.strip():  # an empty text is the same in every language
            return min(sources)
        detected = detect(text, sources).language
        if detected is None:
            doubt = f"the language of the text is not certain ({' or '.join(sorted(sources))}?)"
            raise LanguageError(
                f"{doubt}; say it by --from LANGUAGE", in_python=f"{doubt}; say it by source=LANGUAGE"
            )
        if detected not in sources:
            found = f"the text seems to be in {detected}, and no model from {detected} is here"
            other = "if it is in another language, say so by"
            raise LanguageError(
                f"{found}; {self._offer()}; {other} --from LANGUAGE",
                in_python=f"{found}; {self._offer(_ADVICE_IN_PYTHON)}; {other} source=LANGUAGE",
            )
        return detected

    def _not_found(self, wanted: str) -> ModelNotFoundError:
        return ModelNotFoundError(
            f"no model {wanted}is here; {self._offer()}",
            in_python=f"no model {wanted}is here; {self._offer(_ADVICE_IN_PYTHON)}",
        )

    def _offer(self, advice: str = _ADVICE) -> str:
        names = ", ".join(f"{source} to {target}" for source, target in sorted(self.folders))
        return f"there are {names}; or {advice}" if names else advice
