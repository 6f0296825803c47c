"""Models by their languages, names and folders."""

from functools import lru_cache
from pathlib import Path

from lexalign.api.translator import Translator
from lexalign.api.wording import in_python
from lexalign.bundled import find_model
from lexalign.bundled.cache import find_folder
from lexalign.contracts.errors import ModelNotFoundError
from lexalign.hub import describe_models, get_model
from lexalign.hub.models import ModelDescription
from lexalign.models.projection import Precision
from lexalign.text.model_languages import languages_of_name
from lexalign.text.subwords import Languages


def load(
    model: str | Path,
    target: str | None = None,
    *,
    languages: Languages | None = None,
    device: str = "auto",
    precision: Precision | None = None,
) -> Translator:
    """Load a model: by two languages, by a name, or by its folder.

    Args:
        model: The source language, if `target` is given. Else the folder of a model or of a training run, or
            a name: de-en, Helsinki-NLP/opus-mt-de-en, firefox:en-de.
        target: The target language.
        languages: Source and target language of a multilingual model: ("de", "en").
        device: cpu, cuda or cuda:1; auto takes a GPU where there is one.
        precision: float32, int8 or int8-shared, on a CPU; by default as the model is stored.

    Raises:
        ModelNotFoundError: The model is not installed; `lexalign.download` gets one.
        LanguageError: The model has other languages.

    Examples:
        >>> import lexalign
        >>> lexalign.load("de", "en")
        <Translator de to en, de-en>
        >>> lexalign.load("de-en").languages
        ('de', 'en')
    """
    with in_python():
        folder = find_model(str(model), target) if target is not None else _folder(model)
    return Translator(folder, languages, device, precision)


def _folder(model: str | Path) -> Path:
    folder = find_folder(model)
    if folder.is_dir():
        return folder
    pair = languages_of_name(Path(model)) if Path(model).name == str(model) else None
    if pair is not None:
        return find_model(*pair)
    raise ModelNotFoundError(
        f'there is no model {str(model)!r}; give its folder, its name, or two languages: load("de", "en")'
    )


@lru_cache(maxsize=4)
def load_once(source: str, target: str) -> Translator:
    """The translator of two languages, kept for functions that are called again and again."""
    return load(source, target)


def download(name: str) -> Path:
    """Get a model by its name, unless it is installed, and return its folder; `load` then finds it.

    A name is that of a model on the HuggingFace hub (Helsinki-NLP/opus-mt-de-en), of Firefox
    (firefox:en-de), or of Argos (argos:de-en).
    """
    with in_python():
        return get_model(name)


def list_models() -> list[ModelDescription]:
    """The installed models, bundled and downloaded.

    Examples:
        >>> import lexalign
        >>> sorted(one.name for one in lexalign.list_models())
        ['de-en', 'en-de']
    """
    with in_python():
        return describe_models()
