"""The registry of models by language pair.

A model is a folder with its languages in its config or in its name, `de-en`. Models in folders that the
environment variable LEXALIGN_MODELS lists, separated as in PATH, come first, then downloaded ones, and then
the bundled ones, which are beside this module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lexalign.bundled.cache import model_places
from lexalign.contracts.errors import LanguageError, ModelNotFoundError
from lexalign.text.detection import detect
from lexalign.text.languages import primary
from lexalign.text.model_languages import languages_of_folder

_ADVICE = "get one, for example: lexalign models get {}; or give your own with --model DIR"
_ADVICE_IN_PYTHON = 'get one, for example: lexalign.download("{}"); or load your own by its folder'

Direction = tuple[str, str]  # source and target language


def find_model(source: str, target: str) -> Path:
    """The folder of the model for a direction: `Translator.load(find_model("de", "en"))`."""
    return BundledModels.installed().find(source, target)


@dataclass(frozen=True)
class BundledModels:
    folders: dict[Direction, Path]

    @classmethod
    def installed(cls) -> "BundledModels":
        return cls.within(*model_places())

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
            raise self._not_found(source, target)
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
            raise self._not_found(source, target)
        return found

    def choose(self, source: str | None, target: str | None, read_text: Callable[[], str]) -> Direction:
        """The direction for a text, which is read only if its language must be detected."""
        source = primary(source) if source else self._detect_source(target, read_text)
        target = primary(target) if target else None
        targets = sorted({end for start, end in self.folders if start == source})
        if target is None and len(targets) == 1:
            target = targets[0]
        if target is None and not targets:
            raise self._not_found(source, None)
        if target is None:
            which = " or ".join(targets)
            raise LanguageError(
                f"translate from {source} to {which}? choose with --to LANGUAGE",
                in_python=f"translate from {source} to {which}? choose with target=LANGUAGE",
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
                f"{doubt}; give it with --from LANGUAGE", in_python=f"{doubt}; give it with source=LANGUAGE"
            )
        if detected not in sources:
            found = f"the text seems to be in {detected}; if it is not, give its language with"
            missing = self._not_found(detected, target)
            raise LanguageError(
                f"{found} --from LANGUAGE; {missing}",
                in_python=f"{found} source=LANGUAGE; {missing.in_python}",
            )
        return detected

    def _not_found(self, source: str | None, target: str | None) -> ModelNotFoundError:
        named = (("from", source), ("to", target))
        wanted = " ".join(["no model", *(f"{word} {code}" for word, code in named if code), "is installed"])
        names = ", ".join(f"{start} to {end}" for start, end in sorted(self.folders))
        found = f"{wanted}; those installed are {names}" if names else wanted
        codes = primary(source or "de"), primary(target or "en")
        example = f"Helsinki-NLP/opus-mt-{'-'.join(codes if max(map(len, codes)) < 4 else ('fr', 'en'))}"
        return ModelNotFoundError(
            f"{found}; {_ADVICE.format(example)}", in_python=f"{found}; {_ADVICE_IN_PYTHON.format(example)}"
        )
