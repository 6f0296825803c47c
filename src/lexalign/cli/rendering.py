"""A translation as lines of output.

plain    Anna bought apples.
n best   3 ||| Anna bought apples. ||| -0.2137           (as Moses writes them; lines count from 0)
JSON     {"source": ..., "translation": ..., "score": ..., "tokens": [{"text": ..., "log_probability": ...}]}
"""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexalign.translator import Translation


def plain(translation: "Translation") -> str:
    return _one_line(translation.text)


def moses(line_index: int, translation: "Translation") -> str:
    """One line for each of the n best; none could be told from the text alone."""
    ranked = (translation, *translation.alternatives)
    return "\n".join(f"{line_index} ||| {_one_line(entry.text)} ||| {entry.score:.6f}" for entry in ranked)


def as_json(source: str, translation: "Translation") -> str:
    content = {"source": source, **_fields(translation)}
    if translation.alternatives:
        content["alternatives"] = [_fields(entry) for entry in translation.alternatives]
    return json.dumps(content, ensure_ascii=False)


def _fields(translation: "Translation") -> dict[str, Any]:
    tokens = zip(translation.tokens, translation.token_log_probabilities, strict=True)
    return {
        "translation": translation.text,
        "score": translation.score,
        "log_probability": translation.log_probability,
        "tokens": [{"text": text, "log_probability": value} for text, value in tokens],
        "end_log_probability": translation.end_log_probability,
        "complete": translation.complete,
    }


def _one_line(text: str) -> str:
    """A model may generate a line break, and lines must not shift against those of the source."""
    return text.replace("\r", " ").replace("\n", " ")
