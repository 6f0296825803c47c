"""Translation with the interface of a translation pipeline of transformers.

Programs were written against `pipeline("translation", model)`, which transformers 5 no longer has:

    translate = pipeline("translation_de_to_en")
    translate("Guten Tag!")                             [{"translation_text": "Good day!"}]

The keywords of its calls keep their names: `num_beams`, `max_length`, `num_return_sequences`, `src_lang`,
`tgt_lang`. `glossary` is new, and with `details=True` each result holds its `Translation`.
"""

import re
from pathlib import Path
from typing import Any

import lexalign
from lexalign.api.glossary import GlossaryLike
from lexalign.contracts.errors import OptionError

Result = dict[str, Any]  # {"translation_text": text}
_TASK = re.compile(r"translation(?:_([A-Za-z-]+)_to_([A-Za-z-]+))?")


class TranslationPipeline:
    """What `pipeline` gives: a function of a text or of a list of texts.

    Examples:
        >>> from lexalign.integrations.pipelines import pipeline
        >>> translate = pipeline("translation_de_to_en")
        >>> translate("Guten Tag!")
        [{'translation_text': 'Good day!'}]
        >>> translate(["Guten Tag!", "Das Haus brennt."], glossary={"Haus": "building"}, num_beams=4)
        [{'translation_text': 'Good day!'}, {'translation_text': 'The building is burning.'}]
    """

    def __init__(self, translator: "lexalign.Translator") -> None:
        self.translator = translator

    def __call__(
        self,
        texts: str | list[str],
        *,
        glossary: GlossaryLike | None = None,
        num_beams: int = 5,
        num_return_sequences: int = 1,
        max_length: int = 512,
        length_penalty: float = 1.0,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
        details: bool = False,
    ) -> list[Result] | list[list[Result]]:
        """A list of one result for each text; of several, where `num_return_sequences` asks for them."""
        found = self._for(src_lang, tgt_lang).translate(
            [texts] if isinstance(texts, str) else texts,
            glossary=glossary,
            beam=max(num_beams, num_return_sequences),
            n_best=num_return_sequences,
            max_length=max_length,
            length_penalty=length_penalty,
        )
        results = [[_result(one, details) for one in (best, *best.alternatives)] for best in found]
        if num_return_sequences > 1 and not isinstance(texts, str):
            return results
        return [one for group in results for one in group]

    def _for(self, source: str | None, target: str | None) -> "lexalign.Translator":
        """The translator; languages are for models that have many."""
        if source is None and target is None:
            return self.translator
        known = self.translator.languages or ("", "")
        return self.translator.between(source or known[0], target or known[1])


def pipeline(
    task: str = "translation",
    model: str | Path | None = None,
    *,
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    device: str | int = "auto",
) -> TranslationPipeline:
    """As transformers' `pipeline`; the model is found by the task's languages, unless one is given.

    Args:
        task: translation, or translation_de_to_en.
        model: The folder or the name of a model, see `lexalign.load`.
        src_lang: The source language of a multilingual model.
        tgt_lang: The target language of a multilingual model.
        device: cpu, cuda, auto; or as a number, -1 for a CPU and 0 for the first GPU.
    """
    named = _TASK.fullmatch(task)
    if named is None:
        raise OptionError(f"unknown task {task!r}; write translation or translation_de_to_en")
    source, target = src_lang or named[1], tgt_lang or named[2]
    place = device if isinstance(device, str) else f"cuda:{device}" if device >= 0 else "cpu"
    if model is not None:
        languages = (source, target) if source and target else None
        return TranslationPipeline(lexalign.load(model, languages=languages, device=place))
    if source is None or target is None:
        raise OptionError("name the languages, as in translation_de_to_en, or give a model")
    return TranslationPipeline(lexalign.load(source, target, device=place))


def _result(found: "lexalign.Translation", details: bool) -> Result:
    return {"translation_text": found.text, **({"translation": found} if details else {})}
