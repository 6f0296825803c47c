"""Which of some languages a text is in, and what languages are called."""

from collections.abc import Sequence

# Names for people; a code without one is its own name.
NAMES = {
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "hi": "Hindi",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}
_MOST_CHARACTERS = 2_000  # more of a text tells no more
_LONGEST_WORD = 60  # that a dictionary may know; looking for a part of it takes the square of its length


def language_name(code: str) -> str:
    return NAMES.get(code.partition("-")[0], code)


def guess_language(text: str, languages: Sequence[str]) -> tuple[str, float] | None:
    """The language whose dictionary knows most of the words, and what share of them it knows.

    None where no dictionary knows any, or there is none.
    """
    try:
        from simplemma import langdetect
    except ImportError:
        return None
    try:
        words = (word for word in text[:_MOST_CHARACTERS].split() if len(word) <= _LONGEST_WORD)
        found = langdetect(" ".join(words), lang=tuple(languages))
    except ValueError:  # a language without a dictionary
        return None
    code, share = found[0]
    return (code, share) if code in languages and share > 0 else None
